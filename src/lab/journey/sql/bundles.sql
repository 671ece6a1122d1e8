-- Step 4 makes the bundles. A bundle is the breakfast that a household actually bought in one week.
--
-- In:  lines
-- Out: bundle_weeks (household-weeks whose breakfast products form a bundle), bundles (the distinct
--      sets of items, each with the values of its first purchase), first_bought (the week in which
--      a household first bought an item)

CREATE TABLE bundle_weeks AS
WITH one_product_per_item AS (
  SELECT DISTINCT ON (household, week, item) *
  FROM lines
  WHERE item IS NOT NULL
  ORDER BY household, week, item, time, product
)
SELECT household, week,
       string_agg(item, '+' ORDER BY item)          AS items,
       string_agg(DISTINCT role, '+' ORDER BY role) AS roles,
       avg(log_price)                               AS log_price,
       sum(discount) / sum(shelf_value)             AS deal,
       share(private_label)                         AS private_label,
       avg(health)                                  AS health,
       avg(convenience)                             AS convenience,
       avg(kid_appeal)                              AS kid_appeal
FROM one_product_per_item
GROUP BY household, week
HAVING count(DISTINCT role) >= 3
   AND bool_or(role IN ('cereal', 'egg', 'bread', 'griddle', 'pastry', 'yogurt', 'meat'))
   AND bool_or(role IN ('fruit', 'milk', 'juice', 'coffee'))
   AND count(*) <= 8;

-- One row per distinct bundle, with its static factors. All factors are in [0, 1].
CREATE TABLE bundles AS
SELECT items, roles, log_price,
       1 - (log_price - min(log_price) OVER ())
         / (max(log_price) OVER () - min(log_price) OVER ()) AS afford,
       deal,
       private_label,
       (1 + health) / 2 AS health,
       convenience,
       kid_appeal       AS kid
FROM (SELECT DISTINCT ON (items) * FROM bundle_weeks ORDER BY items, week, household)
ORDER BY items;

CREATE TABLE first_bought AS
SELECT household, item, min(week) AS week FROM lines WHERE item IS NOT NULL GROUP BY ALL;
