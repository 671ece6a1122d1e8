-- Step 2 computes what was known about a household before each week in which it shopped.
--
-- In:  lines
-- Out: general, breakfast (one row per household and week, and one row with household NULL for all
--      households together)

CREATE MACRO share(condition) AS avg(CAST(coalesce(condition, false) AS INTEGER));
CREATE MACRO share_of(amount, condition) AS
  sum(CASE WHEN condition THEN amount ELSE 0 END) / sum(amount);

CREATE MACRO is_snack(category) AS category IN (
  'BAG SNACKS', 'CANDY - CHECKLANE', 'CANDY - PACKAGED', 'COOKIES/CONES', 'CRACKERS/MISC BKD FD',
  'FRZN NOVELTIES/WTR ICE', 'ICE CREAM/MILK/SHERBTS', 'POPCORN', 'SNACK NUTS', 'SOFT DRINKS');

-- For each household and week, this view has the household's receipt lines of all earlier weeks.
-- The rows with household NULL are the lines of all households in the whole year; contexts.sql
-- shrinks towards the means of these lines.
CREATE VIEW past AS
SELECT shopped.household, shopped.week, lines.week AS line_week, lines.* EXCLUDE (household, week)
FROM (SELECT DISTINCT household, week FROM lines WHERE week >= 5) AS shopped
JOIN lines ON lines.household = shopped.household AND lines.week < shopped.week
UNION ALL
SELECT NULL, NULL, week, lines.* EXCLUDE (household, week) FROM lines;

CREATE TABLE general AS
SELECT household, week,
       count(*)                          AS lines,
       count(item)                       AS breakfast_lines,
       sum(sales_value)                  AS spend,
       count(DISTINCT line_week)         AS active_weeks,
       count(DISTINCT basket)            AS baskets,
       count(DISTINCT store)             AS stores,
       week - max(line_week)             AS recency,
       week - max(line_week) FILTER (item IS NOT NULL) AS breakfast_recency,
       count(*) FILTER (line_week >= week - 8)         AS lines_in_8_weeks,
       avg(log_price)                    AS log_price,
       sum(discount) / sum(shelf_value)  AS discount_depth,
       share(discount > 0)               AS deal,
       share(coupon_discount > 0)        AS coupon,
       share(private_label)              AS private_label,
       share_of(sales_value, department = 'PRODUCE')                AS produce,
       share_of(sales_value, department IN ('MEAT', 'MEAT-PCKGD'))  AS meat,
       share_of(sales_value, department = 'DRUG GM')                AS drug,
       share_of(sales_value, is_snack(category))                    AS snacks,
       share_of(sales_value, item IS NOT NULL)                      AS breakfast,
       share(isodow(time) >= 6)          AS weekend,
       share(hour(time) < 12)            AS morning,
       share(hour(time) >= 18)           AS evening
FROM past
GROUP BY household, week
HAVING count(*) >= 10 AND count(item) >= 3;

CREATE TABLE breakfast AS
SELECT household, week,
       count(*)                          AS lines,
       share(private_label)              AS private_label,
       sum(discount) / sum(shelf_value)  AS discount_depth,
       avg(log_price)                    AS log_price,
       avg(health)                       AS health,
       avg(convenience)                  AS convenience,
       avg(indulgence)                   AS indulgence,
       avg(kid_appeal)                   AS kid_appeal,
       share(role = 'milk')              AS milk,
       share(role = 'cereal')            AS cereal,
       share(role = 'egg')               AS egg,
       share(role = 'meat')              AS meat,
       share(role = 'bread')             AS bread,
       share(role = 'griddle')           AS griddle,
       share(role = 'pastry')            AS pastry,
       share(role = 'yogurt')            AS yogurt,
       share(role = 'fruit')             AS fruit,
       share(role = 'juice')             AS juice,
       share(role = 'coffee')            AS coffee,
       share(role = 'spread')            AS spread
FROM past
WHERE item IS NOT NULL
GROUP BY household, week;
