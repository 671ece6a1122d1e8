"""A polite guest: Ctrl-C, threads, progress, logging, fork."""
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy as np

import otss
from fixtures import ROLES, log, model, numbers


def large(rows=100_000):
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(rows, 6)), rng.normal(size=(rows, 3))
    return x, z, (rng.random(rows) < 1 / (1 + np.exp(-z[:, 0] * (1 + x[:, 0])))).astype(float)


def weights_in_child(queue):
    queue.put(model().weights(log()).to_numpy().sum())
    queue.put(otss.OTSS(experts=2, estimator="map").fit(log(), roles=ROLES).model_.experts.sum())


class Interrupts(unittest.TestCase):
    def test_ctrl_c_stops_a_fit_and_the_session_goes_on(self):
        x, z, y = large()
        before = signal.getsignal(signal.SIGINT)
        ended = threading.Event()

        def press():
            # Pressed again and again, in case the first press comes before the fit begins.
            while not ended.wait(0.3):
                os.kill(os.getpid(), signal.SIGINT)

        presses = threading.Thread(target=press)
        presses.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                otss.OTSS(estimator="bayes", experts=3).fit(x, z, y)
        finally:
            ended.set()
            presses.join()
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertEqual(number_of_weights(), 600)

    def test_importing_installs_no_signal_handler(self):
        code = "import signal; before = [signal.getsignal(s) for s in signal.valid_signals()]; import otss; " \
               "assert before == [signal.getsignal(s) for s in signal.valid_signals()]"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_another_threads_fit_is_not_stopped(self):
        done = []
        other = threading.Thread(target=lambda: done.append(otss.OTSS(experts=2, estimator="map").fit(log(), roles=ROLES)))
        other.start()
        with self.assertRaises(otss.Cancelled):
            otss.OTSS(experts=2, estimator="map", progress=lambda fraction, what: False).fit(*large(20_000))
        other.join()
        np.testing.assert_array_equal(done[0].model_.experts, model().model_.experts)


def number_of_weights():
    return len(model().weights(log()))


class Progress(unittest.TestCase):
    def test_a_callback_hears_of_the_fit(self):
        heard = []
        otss.OTSS(experts=2, estimator="map", progress=lambda fraction, what: heard.append((fraction, what))).fit(*large(30_000))
        self.assertTrue(heard)
        self.assertTrue(all(0 <= fraction <= 1 and isinstance(what, str) for fraction, what in heard))

    def test_a_callback_can_cancel(self):
        with self.assertRaisesRegex(otss.Cancelled, "nothing was written"):
            otss.OTSS(progress=lambda fraction, what: False).fit(*large(30_000))

    def test_an_exception_of_the_callback_ends_the_fit(self):
        def fail(fraction, what):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            otss.OTSS(progress=fail).fit(*large(30_000))

    def test_without_a_terminal_there_is_no_bar(self):
        code = "import otss; otss.OTSS(experts=2, estimator='map').fit(*__import__('fixtures').numbers())"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(run.stderr, "")


class Threads(unittest.TestCase):
    def test_python_runs_while_a_fit_runs(self):
        ticks = []
        fitting = threading.Thread(target=lambda: otss.OTSS(experts=2, estimator="map").fit(*large(30_000)))
        fitting.start()
        while fitting.is_alive():
            ticks.append(1)
            time.sleep(0.001)
        self.assertGreater(len(ticks), 20)

    def test_threads_share_a_model(self):
        expected = model().weights(log()).to_numpy()
        results = []
        threads = [threading.Thread(target=lambda: results.append(model().weights(log()).to_numpy())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, expected)

    def test_models_work_after_fork(self):
        expected = [model().weights(log()).to_numpy().sum(), model().model_.experts.sum()]
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=weights_in_child, args=(queue,))
        child.start()
        found = [queue.get(timeout=120), queue.get(timeout=120)]
        child.join(60)
        self.assertEqual(child.exitcode, 0)
        self.assertEqual(found, expected)

    def test_a_forked_process_ends_by_itself(self):
        code = textwrap.dedent("""
            import os, sys, fixtures
            fixtures.model()
            child = os.fork()
            if child == 0:
                fixtures.model().weights(fixtures.log())
                sys.exit(0)  # runs destructors, unlike os._exit
            assert os.waitpid(child, 0)[1] == 0
        """)
        subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


class Messages(unittest.TestCase):
    def test_notes_go_to_logging(self):
        frame = log().assign(speed=np.where(log()["hours"] < 24, "fast", "slow"))
        with self.assertLogs("otss", logging.INFO) as logged:
            otss.Pooled().fit(frame, roles=otss.Roles(["age"], ["price", "speed"], "kept"))
        self.assertTrue(any("factor 'speed' is text" in line for line in logged.output), logged.output)

    def test_a_column_that_names_persons_is_a_warning(self):
        frame = log().copy()
        frame["customer"] = np.arange(600) // 4
        frame[["age", "plan"]] = frame.groupby("customer")[["age", "plan"]].transform("first")
        with self.assertWarnsRegex(otss.DataWarning, "'customer'"):
            otss.Pooled().fit(frame, roles=ROLES)

    def test_findings_are_warnings(self):
        x, z, y = numbers()
        with self.assertWarnsRegex(otss.DataWarning, "not identified"):
            otss.Pooled().fit(x, np.column_stack([z, z[:, 0] + z[:, 1]]), y)


if __name__ == "__main__":
    unittest.main()
