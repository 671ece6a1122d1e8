"""Mistakes that Python users make. Each is an exception of the right class that names what to change."""
import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas

import otss
from fixtures import LIBRARY, ROLES, log, model, number_model, numbers

X, Z, Y = numbers()
FRAME = log()
C, F, O = FRAME[["age", "plan"]], FRAME[["price", "hours"]], FRAME["kept"]
MAP = pandas.DataFrame({"variable": ["a"], "factor": ["prise"], "coefficient": [1.0]})


def fit(contexts=X, factors=Z, outcome=Y, **more):
    return otss.Pooled().fit(contexts, factors, outcome, **more)


def sparse():
    from scipy.sparse import csr_matrix
    return csr_matrix(X)


def broken_file():
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        file.write('{"format": "otss-model"}')
    try:
        return otss.load(file.name)
    finally:
        os.unlink(file.name)


def two_level_columns():
    return pandas.DataFrame(X, columns=pandas.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))


class Unhashable:
    __hash__ = None


# (what the user does, the class of the exception, words of its message)
MISTAKES = [
    # shapes
    (lambda: fit(X[:, 0]), otss.InputError, r"contexts has 1 dimension, but 2 are needed.*reshape\(-1, 1\)"),
    (lambda: fit(X[None]), otss.InputError, "contexts has 3 dimensions"),
    (lambda: fit(X[:0], Z[:0], Y[:0]), otss.InputError, "contexts has no rows"),
    (lambda: fit(FRAME[["age"]].head(0), F.head(0), O.head(0)), otss.InputError, "contexts has no rows"),
    (lambda: fit(X, Z[:10], Y), otss.InputError, "factors has 10 rows, but the contexts have 600 rows"),
    (lambda: fit(X, Z, Y[:10]), otss.InputError, "outcome has 10 rows, but the contexts have 600 rows"),
    (lambda: fit(X, Z, np.column_stack([Y, Y])), otss.InputError, r"outcome has the shape \(600, 2\)"),
    (lambda: fit(X, Z, 1), otss.InputError, "outcome is one value"),
    (lambda: fit([[1, 2], [3]], Z, Y), otss.InputError, "contexts cannot be an array.*rows of equal length"),
    (lambda: fit({"a": [1, 2], "b": [1]}, Z, Y), otss.InputError, "column 'b' has 1 rows, but column 'a' has 2"),
    (lambda: fit({"a": [1, 2], "b": 3}, Z, Y), otss.InputError, r"contexts\['b'\] is one value"),
    (lambda: fit({}, Z, Y), otss.InputError, "contexts is an empty dict"),
    (lambda: number_model().weights(X[:, :1]), otss.InputError, "contexts has 1 columns, but the model has 2 contexts: x1, x2"),
    (lambda: number_model().weights(X[0, :1]), otss.InputError, "a row of 1 numbers, but the model has 2 contexts"),
    (lambda: number_model().predict(X, Z[:5]), otss.InputError, "contexts has 600 rows, but factors has 5 rows"),
    (lambda: number_model().weights(X[:0]), otss.InputError, "contexts has no rows"),
    # types
    (lambda: fit(sparse()), otss.InputTypeError, r"contexts is a sparse matrix.*contexts.toarray\(\)"),
    (lambda: fit("log.csv"), otss.InputTypeError, "contexts is a text.*otss.read_log"),
    (lambda: fit(None), otss.InputTypeError, "contexts is None"),
    (lambda: fit(X * 1j), otss.InputError, "Complex data not supported: contexts"),
    (lambda: fit(FRAME.assign(plan=[b"x"] * 600)[["age", "plan"]]), otss.InputTypeError, "column 'plan' of contexts.*type bytes in row 1"),
    (lambda: fit(FRAME.assign(plan=[{}] * 600)[["plan"]]), otss.InputTypeError, "column 'plan' of contexts has a value of type dict in row 1"),
    (lambda: fit(FRAME.assign(plan=[Unhashable()] * 600)[["plan"]]), otss.InputTypeError, "type Unhashable in row 1"),
    (lambda: fit(FRAME.assign(plan=["a"] * 599 + [7])[["plan"]]), otss.InputError, "column 'plan' has a value of type int in row 600.*astype"),
    (lambda: fit(FRAME.assign(day=pandas.Timestamp("2026-01-01"))[["day"]]), otss.InputError, r"column 'day' of contexts has dates.*dayofweek"),
    (lambda: fit(two_level_columns()), otss.InputError, "the columns of contexts are a MultiIndex"),
    (lambda: fit(pandas.DataFrame(X, columns=["a", "a"])), otss.InputError, "contexts has two columns with the name 'a'"),
    (lambda: fit(pandas.DataFrame(X, columns=["a", "A"])), otss.InputError, "two columns with the name 'A' .upper and lower case"),
    (lambda: fit(pandas.DataFrame(X).astype(pandas.SparseDtype(float))), otss.InputTypeError, "is sparse.*to_dense"),
    (lambda: fit(X, np.array([["a", "b"]] * 600)), otss.InputError, "factor 'z1' is 'a' in every row"),
    # values
    (lambda: fit(X, np.where(Z == 3, np.nan, Z)), otss.InputError, r"factor 'z1' is NaN \(missing\) in row \d+"),
    (lambda: fit(X, np.where(Z == 3, np.inf, Z)), otss.InputError, "factor 'z1' is infinity"),
    (lambda: fit(np.where(X == 30, np.inf, X)), otss.InputError, "'log': context 'x1' is infinite in row|context.*x1.*inf"),
    (lambda: fit(X, Z, np.where(np.arange(600) == 4, np.nan, Y)), otss.InputError, "outcome is missing in row 5"),
    (lambda: fit(X, Z, np.ones(600)), otss.InputError, "outcome has only one class, 1.0"),
    (lambda: fit(X, Z, np.arange(600) % 3), otss.InputError, "outcome has 3 classes.*OTSSRegressor"),
    (lambda: fit(X, Z, np.random.default_rng(1).normal(size=600)), otss.InputError, "outcome is continuous.*OTSSRegressor"),
    (lambda: otss.OTSSRegressor().fit(X, Z, np.array(["a", "b"] * 300)), otss.InputError, "outcome has values that are not numbers"),
    (lambda: otss.OTSSRegressor(family="poisson").fit(X, Z, Y - 0.5), otss.InputError, r"'log': outcome 'y' is -?0.5 in row"),
    (lambda: fit(X, np.ones((600, 1))), otss.InputError, "factor 'z1' is 1 in every row"),
    (lambda: fit(sample_weight=-np.ones(600)), otss.InputError, "weight.* is -1 in row 1"),
    (lambda: fit(sample_weight=np.ones(5)), otss.InputError, "sample_weight has 5 rows"),
    (lambda: fit(groups=np.arange(3)), otss.InputError, "groups has 3 rows"),
    (lambda: model().predict(FRAME.assign(price=np.nan)), otss.InputError, r"factor 'price' is NaN \(missing\) in row 1"),
    # names
    (lambda: model().weights(FRAME[["age"]]), otss.InputError, "contexts has no column 'plan', which is one of the contexts of the model"),
    (lambda: model().predict(C, FRAME[["price"]]), otss.InputError, "factors has no column 'hours', which is one of the factors"),
    (lambda: model().weights({"age": 40}), otss.InputError, "the context has no value of 'plan'"),
    (lambda: model().weights({"age": 40, "plan": "gold", "x": 1}), otss.InputError, "the model has no context column 'x'"),
    (lambda: otss.Pooled().fit(FRAME, roles=otss.Roles(["age"], ["prise"], "kept")), otss.InputError, "log has no column 'prise'"),
    (lambda: otss.Pooled().fit(FRAME, roles=otss.Roles(["age"], ["price"], "keep")), otss.InputError, "log has no column 'keep'"),
    (lambda: otss.Pooled().fit(FRAME, roles={"context": "age"}), otss.InputTypeError, "give otss.Roles"),
    (lambda: otss.Pooled().fit(FRAME, O, roles=ROLES), otss.InputError, "leave out the other arguments"),
    (lambda: fit(FRAME[["age", "price"]], F, O), otss.InputError, "column 'price' is a context and a factor"),
    (lambda: otss.Pooled(factors=["prise"]).fit(FRAME, O), otss.InputError, "factors has 'prise', but X has no such column"),
    (lambda: otss.Pooled(factors=[9]).fit(X, Y), otss.InputError, "factors has the position 9, but X has 2 columns"),
    (lambda: model().decide(C, LIBRARY, id="offr"), otss.InputError, "library has no column 'offr'"),
    (lambda: model().decide(C, LIBRARY.assign(offer="same"), id="offer"), otss.InputError, "two decisions with the same id"),
    (lambda: model().objective(C, MAP), otss.InputError, "prise"),
    # kinds of columns that changed
    (lambda: model().weights(FRAME.assign(age="old")), otss.InputError, r"context column 'age' has texts.*astype\(float\)"),
    (lambda: model().weights(FRAME.assign(plan=1.0)), otss.InputError, r"context column 'plan' has numbers.*astype\(str\)"),
    (lambda: model().weights({"age": "old", "plan": "gold"}), otss.InputError, "the value of 'age' must be a number"),
    (lambda: model().weights(np.array([40.0, 1.0])), otss.InputError, "some of them texts; give a dict"),
    # order of calls, missing arguments
    (lambda: otss.OTSS().weights(C), otss.NotFittedError, r"this OTSS is not fitted yet; call fit\(\) before weights\(\)"),
    (lambda: otss.OTSS().experts_, otss.NotFittedError, "not fitted yet"),
    (lambda: otss.Pooled().fit(X, Z), otss.InputError, "outcome is missing"),
    (lambda: otss.Pooled().fit(X), otss.InputError, "requires y to be passed"),
    (lambda: number_model().predict(X), otss.InputError, "factors is missing"),
    (lambda: model().decide(C), otss.InputError, "give one of library .* and candidates"),
    (lambda: model().decide(C, candidates=LIBRARY), otss.InputError, "candidates and context_id must be given together"),
    (lambda: model().evaluate(C), otss.InputError, "table has no column 'price'"),
    # arguments
    (lambda: otss.OTSS(experts=0).fit(X, Z, Y), otss.InputError, "experts is 0; give 'auto' or a whole number from 1 to 64"),
    (lambda: otss.OTSS(experts=2.5).fit(X, Z, Y), otss.InputError, "experts is 2.5"),
    (lambda: otss.OTSS(estimator="bayesian").fit(X, Z, Y), otss.InputError, "estimator is 'bayesian'; give one of 'auto', 'map'"),
    (lambda: otss.OTSS(gate=None).fit(X, Z, Y), otss.InputError, "gate is 'None'; give one of 'linear'"),
    (lambda: otss.OTSS(sign={"prise": "-"}).fit(X, Z, Y), otss.InputError, "sign.*prise"),
    (lambda: otss.OTSS(bounds={"z1": 3}).fit(X, Z, Y), otss.InputError, r"bounds\['z1'\] is 3; give \(lo, hi\)"),
    (lambda: otss.OTSS(progress="yes").fit(X, Z, Y), otss.InputTypeError, "progress is 'yes'"),
    (lambda: otss.OTSS(init="nowhere.json").fit(X, Z, Y), otss.InputError, "nowhere.json"),
    (lambda: otss.OTSS().set_params(expert=3), otss.InputError, "Invalid parameter 'expert'"),
    (lambda: model().weights(C, interval=90), otss.InputError, "interval is 90; give a confidence level between 0 and"),
    (lambda: model().weights(C, device="gpu"), otss.InputError, "device is 'gpu'; give 'cpu' or 'cuda'"),
    (lambda: model().weights(C, device="cuda"), otss.InputError, "device cuda: (this program was built without CUDA|no NVIDIA GPU)"),
    (lambda: model().weights(C, interval=0.9, device="cuda"), otss.InputError, "device cuda: "),
    (lambda: model().decide(C, LIBRARY, id="offer", top=0), otss.InputError, "top is 0"),
    (lambda: model().decide(C, LIBRARY, id="offer", certify="high"), otss.InputTypeError, "certify is 'high'"),
    (lambda: otss.LinearContextual().fit(X, Z, Y).weights(X, interval=0.9), otss.InputError, "interval"),
    (lambda: otss.LinearContextual().fit(X, Z, Y).gate(X), otss.InputError, "a linear model has no gate"),
    (lambda: otss.load("nowhere.json"), otss.InputError, "'nowhere.json' does not exist|nowhere.json"),
    (broken_file, otss.InputError, "otss-model|version|field|checksum"),
    (lambda: otss.read_log("nowhere.csv", ROLES) and otss.Pooled().fit(otss.read_log("nowhere.csv", ROLES)), otss.InputError,
     "'nowhere.csv' does not exist; check the path"),
    (lambda: model().save("/nowhere/model.json"), otss.FileError, "/nowhere"),
    (lambda: otss.compare(FRAME, ROLES, method="x", expertz=2), otss.InputTypeError, "unexpected argument 'expertz'"),
    (lambda: otss.compare(FRAME, ROLES, methods=["ols"]), otss.InputError, "methods is 'ols'; give one of"),
    (lambda: otss.simulate("world"), otss.InputError, "there is no world 'world'"),
    (lambda: otss.check(FRAME), otss.InputTypeError, "give otss.Roles"),
]


class Mistakes(unittest.TestCase):
    def test_each_is_an_exception_that_names_what_to_change(self):
        for number, (act, kind, words) in enumerate(MISTAKES):
            with self.subTest(number=number, words=words), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaisesRegex(kind, words) as caught:
                    act()
                self.assertNotIn("\n", str(caught.exception))
                self.assertNotRegex(str(caught.exception), r"--[a-z]")

    def test_there_are_many(self):
        self.assertGreaterEqual(len(MISTAKES), 60)

    def test_classes_are_those_that_python_users_catch(self):
        self.assertTrue(issubclass(otss.InputError, ValueError))
        self.assertTrue(issubclass(otss.InputTypeError, TypeError))
        self.assertTrue(issubclass(otss.FileError, OSError))
        for kind in (otss.InputError, otss.InputTypeError, otss.FileError, otss.Cancelled, otss.ComputationError, otss.NotFittedError):
            self.assertTrue(issubclass(kind, otss.Error))


if __name__ == "__main__":
    unittest.main()
