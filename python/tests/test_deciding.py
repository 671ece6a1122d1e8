"""Decisions over libraries, candidates and plans."""
import os
import tempfile
import unittest

import numpy as np
import pandas

import otss
from fixtures import LIBRARY, ROLES, log, model

PLAN = """NAME toy
ROWS
 N cost
 L budget
COLUMNS
    MARKER 'MARKER' 'INTORG'
    a cost 0 budget 2
    b cost 0 budget 3
    MARKER 'MARKER' 'INTEND'
RHS
    RHS budget 6
BOUNDS
 UP BND a 2
 UP BND b 2
ENDATA
"""
FACTOR_MAP = pandas.DataFrame({"variable": ["a", "b"], "factor": ["price", "hours"], "coefficient": [1.0, -2.0]})


class Libraries(unittest.TestCase):
    def test_the_best_decision_has_the_largest_score(self):
        w = model().weights(log()).to_numpy()
        scores = w @ LIBRARY[["price", "hours"]].to_numpy().T
        chosen = model().decide(log(), LIBRARY, id="offer")
        self.assertEqual(list(chosen["decision"]), [LIBRARY["offer"][i] for i in scores.argmax(axis=1)])
        np.testing.assert_allclose(chosen["score"], scores.max(axis=1), rtol=1e-12)
        self.assertTrue(chosen.index.equals(log().index))

    def test_decisions_are_named_by_id_index_or_position(self):
        contexts = log().head(5)
        by_id = model().decide(contexts, LIBRARY, id="offer")["decision"]
        self.assertEqual(list(model().decide(contexts, LIBRARY.set_index("offer"))["decision"]), list(by_id))
        positions = model().decide(contexts, LIBRARY[["price", "hours"]].to_numpy())["decision"]
        self.assertEqual([LIBRARY["offer"][i] for i in positions], list(by_id))
        numbered = model().decide(contexts, LIBRARY.assign(offer=[10, 20, 30, 40]), id="offer")["decision"]
        self.assertEqual([LIBRARY["offer"][i // 10 - 1] for i in numbered], list(by_id))

    def test_contributions_sum_to_the_score(self):
        chosen = model().decide(log().head(50), LIBRARY, id="offer", top=2, explain=True)
        np.testing.assert_allclose(chosen["c_price"] + chosen["c_hours"], chosen["score"], atol=1e-12)
        np.testing.assert_allclose(chosen["d_price"] + chosen["d_hours"], chosen["margin"], atol=1e-12)
        np.testing.assert_allclose(chosen["e_1"] + chosen["e_2"], chosen["score"], atol=1e-12)

    def test_certificates(self):
        chosen = model().decide(log().head(50), LIBRARY, id="offer", certify=0.9)
        self.assertEqual(chosen["certified"].dtype, bool)
        self.assertTrue((chosen["regret_bound"] >= 0).all())

    def test_contexts_that_are_no_frame_give_records(self):
        contexts = {"age": [30.0, 60.0], "plan": ["gold", "basic"]}
        chosen = model().decide(contexts, LIBRARY, id="offer")
        self.assertIsInstance(chosen, np.recarray)
        self.assertEqual(len(chosen["decision"]), 2)


class Candidates(unittest.TestCase):
    def test_each_context_has_its_own_decisions(self):
        contexts = log().head(2).assign(order=[7, 8])
        candidates = pandas.concat([LIBRARY.head(2).assign(order=7), LIBRARY.tail(1).assign(order=8)])
        chosen = model().decide(contexts, candidates=candidates, context_id="order", id="offer")
        self.assertIn(chosen["decision"].iloc[0], ("express", "same day"))
        self.assertEqual(chosen["decision"].iloc[1], "saver")
        self.assertTrue(np.isnan(chosen["margin"].iloc[1]))

    def test_unused_candidates_are_a_warning(self):
        candidates = LIBRARY.assign(order=[7, 7, 9, 9])
        with self.assertWarnsRegex(otss.DataWarning, "2 rows of candidates were ignored"):
            model().decide(log().head(1).assign(order=[7]), candidates=candidates, context_id="order", id="offer")

    def test_factors_can_be_centred_by_candidates(self):
        frame = log().assign(order=np.arange(len(log())))
        candidates = pandas.concat([frame[["order", "price", "hours"]], frame[["order"]].assign(price=5.0, hours=24.0)])
        fitted = otss.Pooled().fit(frame, roles=ROLES, centered_by=candidates, context_id="order")
        halved = frame.assign(price=(frame["price"] - 5) / 2, hours=(frame["hours"] - 24) / 2)
        np.testing.assert_allclose(fitted.model_.experts, otss.Pooled().fit(halved, roles=ROLES).model_.experts, rtol=1e-5)
        self.assertEqual(len(fitted.predict_mean(frame, candidates=candidates)), len(frame))


class Plans(unittest.TestCase):
    def test_a_plan_is_solved_for_each_context(self):
        contexts = log().head(20)
        with tempfile.TemporaryDirectory() as folder:
            plan = os.path.join(folder, "plan.mps")
            with open(plan, "w") as file:
                file.write(PLAN)
            solved = model().decide_plan(contexts, plan, FACTOR_MAP)
        costs = model().objective(contexts, FACTOR_MAP)
        feasible = np.array([(a, b) for a in range(3) for b in range(3) if 2 * a + 3 * b <= 6])
        best = (costs[["a", "b"]].to_numpy() @ feasible.T).max(axis=1)
        self.assertEqual(set(solved["status"]), {"optimal"})
        np.testing.assert_allclose(solved["objective"], best, atol=1e-9)
        np.testing.assert_allclose(solved["z_price"], solved["v_a"])
        np.testing.assert_allclose(solved["z_hours"], -2 * solved["v_b"])

    def test_the_objective_serves_another_solver(self):
        from scipy.optimize import LinearConstraint, milp

        costs = model().objective(log().head(1), FACTOR_MAP).to_numpy()[0]
        found = milp(-costs, constraints=LinearConstraint([[2, 3]], ub=6), integrality=[1, 1], bounds=([0, 0], [2, 2]))
        self.assertTrue(found.success)


if __name__ == "__main__":
    unittest.main()
