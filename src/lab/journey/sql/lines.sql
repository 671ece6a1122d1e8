-- Step 1 reads the lines of the receipts: who bought what, when, and for how much.
--
-- In:  transactions, products, breakfast_items, breakfast_rules
-- Out: items, purchases, lines

CREATE TABLE items AS
SELECT item, role,
       CAST(health AS DOUBLE)      AS health,
       CAST(convenience AS DOUBLE) AS convenience,
       CAST(indulgence AS DOUBLE)  AS indulgence,
       CAST(kid_appeal AS DOUBLE)  AS kid_appeal
FROM breakfast_items;

-- The first matching rule decides which breakfast item a product is; most products match no rule.
CREATE TABLE product_items AS
SELECT p.product_id, arg_min(r.item, CAST(r.priority AS INTEGER)) AS item
FROM products p
JOIN breakfast_rules r ON r.product_category = p.product_category
                      AND regexp_matches(p.product_type, r.product_type_regex)
GROUP BY p.product_id;

CREATE TABLE purchases AS
SELECT CAST(t.household_id AS BIGINT)             AS household,
       CAST(t.week AS INTEGER)                    AS week,
       CAST(t.transaction_timestamp AS TIMESTAMP) AS time,
       CAST(t.store_id AS BIGINT)                 AS store,
       CAST(t.basket_id AS BIGINT)                AS basket,
       CAST(t.product_id AS BIGINT)               AS product,
       CAST(t.quantity AS DOUBLE)                 AS quantity,
       CAST(t.sales_value AS DOUBLE)              AS sales_value,
       CAST(t.retail_disc AS DOUBLE) + CAST(t.coupon_match_disc AS DOUBLE) AS discount,
       CAST(t.coupon_disc AS DOUBLE)              AS coupon_discount,
       p.department,
       p.product_category                         AS category,
       p.brand = 'Private'                        AS private_label,
       m.item
FROM transactions t
JOIN products p USING (product_id)
LEFT JOIN product_items m USING (product_id);

CREATE TABLE lines AS
SELECT p.*,
       sales_value + discount     AS shelf_value,
       ln(sales_value / quantity) AS log_price,
       i.role, i.health, i.convenience, i.indulgence, i.kid_appeal
FROM purchases p
LEFT JOIN items i USING (item)
WHERE quantity > 0 AND sales_value > 0
  AND coalesce(department, '') NOT IN (
    'FUEL', 'MISCELLANEOUS', 'COUPON', 'PHOTO & VIDEO', 'POSTAL CENTER', 'CNTRL/STORE SUP',
    'GM MERCH EXP', 'TRAVEL & LEISURE', 'AUTOMOTIVE');
