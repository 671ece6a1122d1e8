"""Tables of any library are read through Arrow's C data interface."""
import gc
import unittest

import numpy as np

import arrow_producer as arrow
import otss
from arrow_producer import Column, Table
from fixtures import ROLES, log, model


def exported(batches=None, **changed):
    frame = log()
    columns = {"age": Column("g", frame["age"]), "plan": Column("u", frame["plan"]), "price": Column("i", frame["price"].astype(int)),
               "hours": Column("f", frame["hours"]), "kept": Column("c", frame["kept"]), **changed}
    return Table(columns, batches or [len(frame)])


class ArrowTables(unittest.TestCase):
    def test_a_table_gives_the_model_of_the_frame(self):
        for batches in ([600], [1, 0, 2, 597], [250, 350]):
            with self.subTest(batches=batches):
                fitted = otss.OTSS(experts=2, estimator="map").fit(exported(batches), roles=ROLES)
                np.testing.assert_array_equal(fitted.model_.experts, model().model_.experts)

    def test_every_kind_of_text(self):
        plans = list(log()["plan"])
        known = ["gold", "basic", "family"]
        expected = model().weights(log()).to_numpy()
        kinds = {"small offsets": Column("u", plans), "large offsets": Column("U", plans), "views": Column("vu", plans),
                 "dictionary": Column("c", [known.index(plan) for plan in plans], known), "slice": Column("u", plans, offset=3)}
        for name, column in kinds.items():
            with self.subTest(name):
                table = exported([100, 500], plan=column)
                np.testing.assert_array_equal(np.column_stack(list(model().weights(table)[f] for f in ("price", "hours"))), expected)

    def test_long_texts_of_the_type_view(self):
        texts = [f"a level of more than twelve bytes {i % 2}" for i in range(600)]
        by_view = otss.Pooled().fit(exported(plan=Column("vu", texts)), roles=ROLES)
        by_text = otss.Pooled().fit(log().assign(plan=texts), roles=ROLES)
        np.testing.assert_array_equal(by_view.model_.experts, by_text.model_.experts)

    def test_missing_values(self):
        plans = [None if i % 7 == 0 else plan for i, plan in enumerate(log()["plan"])]
        ages = [None if i % 5 == 0 else age for i, age in enumerate(log()["age"])]
        frame = log().assign(plan=plans, age=[np.nan if age is None else age for age in ages])
        fitted = otss.Pooled().fit(exported(plan=Column("u", plans), age=Column("g", ages)), roles=ROLES)
        np.testing.assert_array_equal(fitted.model_.experts, otss.Pooled().fit(frame, roles=ROLES).model_.experts)

    def test_booleans_are_numbers(self):
        old = [age > 50 for age in log()["age"]]
        by_arrow = otss.Pooled().fit(exported(age=Column("b", old)), roles=ROLES)
        np.testing.assert_array_equal(by_arrow.model_.experts, otss.Pooled().fit(log().assign(age=old), roles=ROLES).model_.experts)

    def test_dates_are_refused_with_the_way_out(self):
        with self.assertRaisesRegex(otss.InputError, "column 'age' of log has dates; turn it into numbers"):
            otss.Pooled().fit(exported(age=Column("tdD", range(600))), roles=ROLES)

    def test_a_date_can_be_the_time(self):
        roles = otss.Roles(["age"], ["price"], "kept", time="when")
        by_date = otss.Pooled().fit(exported(when=Column("tdD", range(600))), roles=roles)
        by_number = otss.Pooled().fit(log().assign(when=range(600)), roles=roles)
        np.testing.assert_array_equal(by_date.model_.experts, by_number.model_.experts)

    def test_every_struct_is_released_once(self):
        arrow.RELEASED.clear()
        model().weights(exported([200, 400]))
        gc.collect()
        self.assertEqual(sorted(arrow.RELEASED), ["batch", "batch", "schema", "stream"])


if __name__ == "__main__":
    unittest.main()
