-- Step 5 chooses the rows of the study. Training and test households are disjoint.
--
-- In:  contexts, bundle_weeks, sizes (one row: train_rows, test_rows)
-- Out: train_contexts, test_contexts
--
-- Random choices use md5, so that they are the same on every machine and in every version.

-- At most 12 weeks per household are eligible. A week that is the source of a bundle is excluded,
-- because the library might contain exactly the breakfast bought in that week.
CREATE TABLE eligible AS
SELECT *
FROM contexts ANTI JOIN bundle_weeks USING (household, week)
QUALIFY row_number() OVER (PARTITION BY household ORDER BY md5(household || ' ' || week)) <= 12;

CREATE TABLE shuffled AS
SELECT *, row_number() OVER (ORDER BY md5(CAST(household AS VARCHAR)), week) AS place
FROM eligible;

CREATE TABLE train_contexts AS
SELECT * EXCLUDE (place) FROM shuffled
WHERE place <= (SELECT train_rows FROM sizes)
ORDER BY household, week;

CREATE TABLE test_contexts AS
SELECT * EXCLUDE (place) FROM (
  SELECT * FROM shuffled
  WHERE household NOT IN (SELECT household FROM train_contexts)
  QUALIFY row_number() OVER (ORDER BY place) <= (SELECT test_rows FROM sizes))
ORDER BY household, week;
