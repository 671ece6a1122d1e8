-- Step 3 computes the 54 context columns, for households whose demographics are known.
--
-- In:  general, breakfast, demographics, campaigns, campaign_descriptions, coupon_redemptions
-- Out: contexts, everybodys_roles (one row: the role shares over all households)

-- A share or mean over few receipt lines is imprecise. So it is shrunk towards the share or mean of
-- all households, which counts like `pseudo` additional lines. The twelve role shares are shrunk
-- more strongly.
CREATE MACRO shrunk(own, lines, everybody, pseudo) AS
  (lines * own + pseudo * everybody) / (lines + pseudo);
CREATE MACRO general_mean(own, lines, everybody) AS shrunk(own, lines, everybody, 10);
CREATE MACRO role_share(own, lines, everybody) AS shrunk(own, lines, everybody, 30);

-- Weeks start on Mondays; week 1 has only one day, 1 January 2017.
CREATE MACRO first_day(week) AS DATE '2016-12-26' + CAST(7 * (week - 1) AS INTEGER);

CREATE MACRO known(answer) AS
  CASE WHEN answer NOT IN ('', 'NA', 'Unknown') THEN answer END;

CREATE MACRO count_from(answer) AS CAST(rtrim(CAST(answer AS VARCHAR), '+') AS INTEGER);

CREATE TABLE people AS
SELECT CAST(household_id AS BIGINT)               AS household,
       ages.place                                 AS age,
       ln(incomes.midpoint)                       AS log_income,
       count_from(household_size)                 AS household_size,
       count_from(kids_count)                     AS kids,
       household_comp LIKE '1 Adult%'             AS one_adult,
       coalesce(home_ownership IN ('Homeowner', 'Probable Homeowner'), false) AS owner,
       known(home_ownership) IS NULL              AS home_unknown,
       coalesce(marital_status = 'Married', false) AS married,
       known(marital_status) IS NULL              AS marital_unknown
FROM demographics
LEFT JOIN (VALUES ('19-24', 1), ('25-34', 2), ('35-44', 3), ('45-54', 4), ('55-64', 5), ('65+', 6))
  AS ages(age, place) USING (age)
LEFT JOIN (VALUES ('Under 15K', 7.5), ('15-24K', 20), ('25-34K', 30), ('35-49K', 42.5),
                  ('50-74K', 62.5), ('75-99K', 87.5), ('100-124K', 112.5), ('125-149K', 137.5),
                  ('150-174K', 162.5), ('175-199K', 187.5), ('200-249K', 225), ('250K+', 300))
  AS incomes(income, midpoint) USING (income);

CREATE TABLE mailings AS
SELECT CAST(c.household_id AS BIGINT) AS household, CAST(d.start_date AS DATE) AS day
FROM campaigns c JOIN campaign_descriptions d USING (campaign_id);

CREATE TABLE redemptions AS
SELECT CAST(household_id AS BIGINT) AS household, CAST(redemption_date AS DATE) AS day
FROM coupon_redemptions;

CREATE TABLE contexts AS
SELECT g.household, g.week,
       p.age, p.log_income, p.household_size, p.kids, p.one_adult, p.owner, p.home_unknown,
       p.married, p.marital_unknown,

       g.week - 1                               AS weeks_elapsed,
       ln(g.lines / (g.week - 1))               AS log_lines_per_week,
       ln(g.spend / (g.week - 1))               AS log_spend_per_week,
       g.active_weeks / (g.week - 1)            AS active_rate,
       g.baskets / g.active_weeks               AS baskets_per_active_week,
       general_mean(g.log_price, g.lines, everybody.log_price) AS log_line_price,
       g.recency,
       g.breakfast_recency,
       ln((g.lines_in_8_weeks / least(8, g.week - 1) + 0.5) / (g.lines / (g.week - 1) + 0.5))
                                                AS trend,
       general_mean(g.discount_depth, g.lines, everybody.discount_depth) AS discount_depth,
       general_mean(g.deal, g.lines, everybody.deal)                   AS deal_share,
       general_mean(g.coupon, g.lines, everybody.coupon)               AS coupon_share,
       general_mean(g.private_label, g.lines, everybody.private_label) AS private_label_share,
       general_mean(g.produce, g.lines, everybody.produce)             AS produce_share,
       general_mean(g.meat, g.lines, everybody.meat)                   AS meat_share,
       general_mean(g.drug, g.lines, everybody.drug)                   AS drug_share,
       general_mean(g.snacks, g.lines, everybody.snacks)               AS snack_share,
       general_mean(g.breakfast, g.lines, everybody.breakfast)         AS breakfast_share,
       general_mean(g.weekend, g.lines, everybody.weekend)             AS weekend_share,
       general_mean(g.morning, g.lines, everybody.morning)             AS morning_share,
       general_mean(g.evening, g.lines, everybody.evening)             AS evening_share,
       g.stores,
       (SELECT count(*) FROM mailings m
        WHERE m.household = g.household AND m.day < first_day(g.week))    AS campaigns,
       (SELECT count(*) FROM redemptions r
        WHERE r.household = g.household AND r.day < first_day(g.week))    AS redemptions,
       sin(2 * pi() * g.week / 52)              AS season_sine,
       cos(2 * pi() * g.week / 52)              AS season_cosine,

       general_mean(b.private_label, b.lines, at_breakfast.private_label)
                                                AS breakfast_private_label,
       general_mean(b.discount_depth, b.lines, at_breakfast.discount_depth) AS breakfast_discount,
       general_mean(b.log_price, b.lines, at_breakfast.log_price)       AS breakfast_log_price,
       general_mean(b.health, b.lines, at_breakfast.health)             AS breakfast_health,
       general_mean(b.convenience, b.lines, at_breakfast.convenience)   AS breakfast_convenience,
       general_mean(b.indulgence, b.lines, at_breakfast.indulgence)     AS breakfast_indulgence,
       general_mean(b.kid_appeal, b.lines, at_breakfast.kid_appeal)     AS breakfast_kid_appeal,

       role_share(b.milk, b.lines, at_breakfast.milk)       AS role_milk,
       role_share(b.cereal, b.lines, at_breakfast.cereal)   AS role_cereal,
       role_share(b.egg, b.lines, at_breakfast.egg)         AS role_egg,
       role_share(b.meat, b.lines, at_breakfast.meat)       AS role_meat,
       role_share(b.bread, b.lines, at_breakfast.bread)     AS role_bread,
       role_share(b.griddle, b.lines, at_breakfast.griddle) AS role_griddle,
       role_share(b.pastry, b.lines, at_breakfast.pastry)   AS role_pastry,
       role_share(b.yogurt, b.lines, at_breakfast.yogurt)   AS role_yogurt,
       role_share(b.fruit, b.lines, at_breakfast.fruit)     AS role_fruit,
       role_share(b.juice, b.lines, at_breakfast.juice)     AS role_juice,
       role_share(b.coffee, b.lines, at_breakfast.coffee)   AS role_coffee,
       role_share(b.spread, b.lines, at_breakfast.spread)   AS role_spread
FROM general g
JOIN breakfast b USING (household, week)
JOIN people p USING (household)
CROSS JOIN (SELECT * FROM general WHERE household IS NULL)   AS everybody
CROSS JOIN (SELECT * FROM breakfast WHERE household IS NULL) AS at_breakfast;

CREATE VIEW everybodys_roles AS
SELECT milk AS role_milk, cereal AS role_cereal, egg AS role_egg, meat AS role_meat,
       bread AS role_bread, griddle AS role_griddle, pastry AS role_pastry, yogurt AS role_yogurt,
       fruit AS role_fruit, juice AS role_juice, coffee AS role_coffee, spread AS role_spread
FROM breakfast
WHERE household IS NULL;
