-- Counts the rows that remain after each step.
SELECT (SELECT count(*) FROM transactions) AS transactions,
       (SELECT count(*) FROM purchases)    AS with_product,
       (SELECT count(*) FROM purchases WHERE quantity > 0 AND sales_value > 0)    AS sold,
       (SELECT count(item) FROM purchases WHERE quantity > 0 AND sales_value > 0) AS sold_breakfast,
       (SELECT count(*) FROM lines)        AS lines,
       (SELECT count(*) FROM general WHERE household IS NOT NULL) AS contexts,
       (SELECT count(DISTINCT household) FROM general)            AS households,
       (SELECT count(*) FROM contexts)                            AS described_contexts,
       (SELECT count(DISTINCT household) FROM contexts)           AS described_households,
       (SELECT count(*) FROM bundle_weeks) AS bundle_weeks,
       (SELECT count(*) FROM bundles)      AS bundles,
       (SELECT count(*) FROM eligible)     AS eligible
