"""A fit on a cluster of worker processes: the model of one process, the same bits whoever answers and whoever dies."""
import os
import pathlib
import signal
import tempfile
import threading
import unittest
import unittest.mock
import warnings

import dask.bag
import dask.dataframe
import distributed
import numpy as np
import pandas

import otss
import otss.dask

ROLES = otss.Roles(context=["x1", "x2", "region"], factors=["z1", "z2"], outcome="y")
OPTIONS = {"experts": 2, "estimator": "map", "progress": False, "seed": 3}
KILLED_AT = [int(at) for at in os.environ.get("OTSS_KILLED_AT", "2,5,10").split(",")]  # the requests during which a worker dies
ROWS = 120_000  # more than a log of which all rows are used for the choice of the settings


def log(rows=ROWS):
    """A log with two kinds of contexts that want opposite things, and a text context that some partitions know less of."""
    rng = np.random.default_rng(5)
    frame = pandas.DataFrame({name: rng.normal(size=rows) for name in ("x1", "x2", "z1", "z2")})
    frame["region"] = rng.choice(["north", "south", "west"], size=rows, p=[0.6, 0.39, 0.01])
    frame.loc[rng.random(rows) < 0.02, "x2"] = np.nan
    share = 1 / (1 + np.exp(-2 * frame.x1))
    score = share * frame.z1 - (1 - share) * frame.z1 + 0.5 * frame.z2 + 0.3 * (frame.region == "south")
    frame["y"] = (rng.random(rows) < 1 / (1 + np.exp(-score))).astype(float)
    return frame


class Killing:
    """Carries requests to the workers, and kills a process while the workers compute the answers of one of them."""

    def __init__(self, pid, at):
        self.pid, self.at, self.calls = pid, at, 0
        self.ask = otss.dask._Workers.ask

    def __call__(self, workers, requests):
        self.calls += 1
        if self.calls == self.at:
            threading.Timer(0.005, os.kill, (self.pid, signal.SIGKILL)).start()
        return self.ask(workers, requests)


class OnACluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore")
        cls.frame = log()
        # Partitions of different sizes.
        cls.bounds = [0, 20_000, 50_000, 70_001, 95_000, ROWS]
        cls.parts = [cls.frame.iloc[a:b] for a, b in zip(cls.bounds, cls.bounds[1:])]
        cls.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        cls.addClassCleanup(cls.cluster.close)
        cls.client = distributed.Client(cls.cluster)
        cls.addClassCleanup(cls.client.close)
        cls.futures = [cls.client.submit(lambda part: part, part, pure=False) for part in cls.parts]
        cls.expected = otss.dask.fit(cls.futures, ROLES, cls.client, **OPTIONS)

    def assert_same_bits(self, model, expected=None):
        expected = expected or self.expected
        np.testing.assert_array_equal(model.weights(self.frame.head(500)), expected.weights(self.frame.head(500)))

    def test_the_model_is_that_of_one_process(self):
        alone = otss.OTSS(**OPTIONS).fit(self.frame, roles=ROLES)
        contexts = self.frame.head(2000)
        found = alone.weights(contexts, interval=0.9)
        standard_error = (found.hi - found.lo) / (2 * 1.6449)
        difference = np.abs(self.expected.weights(contexts) - found.weights)
        self.assertLess((difference / standard_error).max().max(), 0.01)
        self.assertEqual(self.expected.report_.data.fingerprint, alone.report_.data.fingerprint)

    def test_every_form_of_the_log_gives_the_same_bits(self):
        ddf = dask.dataframe.from_delayed([dask.delayed(part) for part in self.parts], meta=self.parts[0].iloc[:0])
        self.assert_same_bits(otss.dask.fit(ddf, ROLES, self.client, **OPTIONS))
        delayed = [dask.delayed(part) for part in self.parts]
        self.assert_same_bits(otss.dask.fit([delayed[0], self.parts[1].iloc[:0].pipe(dask.delayed), *delayed[1:]], ROLES, self.client, **OPTIONS))

    def test_files_are_read_by_the_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, part in enumerate(self.parts):
                paths.append(str(pathlib.Path(folder) / f"part{i}.csv"))
                part.to_csv(paths[-1], index=False)
            self.assert_same_bits(otss.dask.fit(dask.bag.from_sequence(paths), ROLES, self.client, **OPTIONS))

    def test_one_worker_gives_the_same_bits(self):
        with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
                distributed.Client(cluster) as client:
            self.assert_same_bits(otss.dask.fit([dask.delayed(part) for part in self.parts], ROLES, client, **OPTIONS))

    def test_a_worker_that_dies_changes_no_bit(self):
        for at in KILLED_AT:
            with self.subTest(killed_at=at), distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                                                      dashboard_address=None) as cluster, distributed.Client(cluster) as client:
                victim = next(iter(client.run(os.getpid).values()))
                killing = Killing(victim, at)
                with unittest.mock.patch.object(otss.dask._Workers, "ask", lambda *given: killing(*given)):
                    model = otss.dask.fit([dask.delayed(part) for part in self.parts], ROLES, client, **OPTIONS)
                self.assertGreater(killing.calls, at)
                self.assert_same_bits(model)

    def test_a_small_log_is_fitted_as_a_whole(self):
        small = [dask.delayed(part.head(400)) for part in self.parts]
        alone = otss.OTSS(**OPTIONS).fit(pandas.concat([part.head(400) for part in self.parts]), roles=ROLES)
        model = otss.dask.fit(small, ROLES, self.client, **OPTIONS)
        np.testing.assert_allclose(model.weights(self.frame.head(200)), alone.weights(self.frame.head(200)), rtol=1e-2, atol=1e-2)

    def test_groups_stay_in_one_partition(self):
        frame = self.frame.head(3000).assign(customer=np.arange(3000) % 500)
        roles = otss.Roles(context=["x1"], factors=["z1"], outcome="y", group="customer")
        spread = [dask.delayed(frame.iloc[:1500]), dask.delayed(frame.iloc[1500:])]
        with self.assertRaisesRegex(otss.InputError, "several partitions"):
            otss.dask.fit(spread, roles, self.client, **OPTIONS)
        ddf = dask.dataframe.from_pandas(frame, npartitions=3)
        self.assertEqual(otss.dask.fit(ddf, roles, self.client, **OPTIONS).report_.data.rows, 3000)

    def test_results_are_computed_by_partition(self):
        ddf = dask.dataframe.from_pandas(self.frame.head(1000), npartitions=3)
        found = otss.dask.weights(self.expected, ddf).compute()
        pandas.testing.assert_frame_equal(found, self.expected.weights(self.frame.head(1000)))
        self.assertEqual(list(otss.dask.weights(self.expected, ddf, interval=0.9).columns), ["z1", "z2", "z1_lo", "z2_lo", "z1_hi", "z2_hi"])
        library = pandas.DataFrame({"id": ["a", "b"], "z1": [1.0, -1.0], "z2": [0.0, 0.0]})
        self.assertEqual(len(otss.dask.decide(self.expected, ddf, library, id="id").compute()), 1000)
        whole = self.expected.evaluate(self.frame.head(1000))
        self.assertAlmostEqual(otss.dask.evaluate(self.expected, ddf, self.client)["log_loss"], whole["log_loss"].value)

    def test_what_needs_all_rows_is_refused_by_name(self):
        def refused(words, roles=ROLES, data=None, **options):
            with self.assertRaisesRegex(otss.InputError, words):
                otss.dask.fit(data or self.futures, roles, self.client, **{**OPTIONS, **options})
        refused("gate", gate="mlp")
        refused("estimator", estimator="bayes")
        refused("unit", otss.Roles(context=["x1"], factors=["z1"], outcome="y", unit="region"))
        refused("z9", otss.Roles(context=["x1"], factors=["z9"], outcome="y"))
        refused("'region' is text, but in a fit on partitions factors", otss.Roles(context=["x1"], factors=["z1", "region"], outcome="y"))
        refused("'region' is text, but in a fit on partitions factors", otss.Roles(context=["x1"], factors=["z1"], outcome="region"))
        refused("x1", data=[dask.delayed(self.parts[0]), dask.delayed(self.parts[1].assign(x1="text"))])
        with self.assertRaises(otss.InputTypeError):
            otss.dask.fit([self.parts[0]], ROLES, self.client)
        with self.assertRaises(otss.InputTypeError):
            otss.dask.fit(self.futures, ROLES, client="local")


if __name__ == "__main__":
    unittest.main()
