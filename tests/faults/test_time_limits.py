"""Plans that are stopped early, against their true optimum: what is printed must be true, however short the time was."""
import csv
import io
import unittest

from fault_cli import FaultTest, count


class TimeLimits(FaultTest):
    def write_plan(self, number):
        """A knapsack with several rows, and a factor map that gives every variable a share in two factors."""
        variables = [f"v{i}" for i in range(30 + 2 * number)]
        text = "Maximize\n none: 0 v0\nSubject To\n"
        for row in range(5):
            sizes = [self.random.randint(5, 60) for _ in variables]
            terms = " + ".join(f"{size} {name}" for size, name in zip(sizes, variables))
            text += f" r{row}: {terms} <= {sum(sizes) // 3}\n"
        (self.dir / "hard.lp").write_text(text + "Binaries\n " + " ".join(variables) + "\nEnd\n")
        rows = ["variable,factor,coefficient"]
        for name in variables:
            for factor in self.random.sample(range(1, 9), 2):
                rows.append(f"{name},z{factor},{self.random.uniform(0.2, 2):.3f}")
        (self.dir / "hard.csv").write_text("\n".join(rows) + "\n")

    def decide(self, *more):
        done = self.call_in(self.dir, "decide", "model.json", "few.csv", "--mps", "hard.lp", "--factor-map", "hard.csv",
                            "--threads", 1, *more)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_bounds_and_points_are_true(self):
        statuses, bounds = {}, 0
        for number in range(count(5, 1)):
            self.write_plan(number)
            best = [float(row["objective"]) for row in self.decide()]
            for seconds in (0.001, 0.003, 0.01, 0.02, 0.05)[:count(5, 3)]:
                for row, optimum in zip(self.decide("--time-limit", seconds), best):
                    tolerance = 1e-6 * max(1, abs(optimum))
                    what = f"plan {number}, {seconds} s, optimum {optimum}: {row}"
                    statuses[row["status"]] = statuses.get(row["status"], 0) + 1
                    self.assertIn(row["status"], ("optimal", "feasible", "limit"), what)
                    if row["bound"]:
                        bounds += 1
                        self.assertGreaterEqual(float(row["bound"]), optimum - tolerance, what)
                        self.assertLessEqual(float(row["bound"]), optimum + 10 * abs(optimum) + 10, what)
                    if row["status"] != "limit":
                        self.assertTrue(row["bound"], what)
                        self.assertLessEqual(float(row["objective"]), optimum + tolerance, what)
                    if row["status"] == "optimal":
                        self.assertGreaterEqual(float(row["objective"]), optimum - tolerance, what)
        print(f"time-limited plans: {statuses}, {bounds} with a bound")


if __name__ == "__main__":
    unittest.main()
