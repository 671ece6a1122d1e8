"""Signals at random moments."""
import os
import signal
import subprocess
import time
import unittest

from fault_cli import OTSS, FaultTest, commands, count, results_in

OLD = b"the old content\n"
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Kills(FaultTest):
    def start_and_signal(self, command, delay, number):
        def prepare():
            for each in SIGNALS[1:]:
                if each != signal.SIGKILL:
                    signal.signal(each, signal.SIG_DFL)
        process = subprocess.Popen([OTSS, *map(str, command)], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, preexec_fn=prepare)
        time.sleep(delay)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
        return process.returncode, said

    def seconds(self, command):
        begin = time.monotonic()
        self.call_in(self.dir, *command)
        return time.monotonic() - begin

    def test_a_killed_command_leaves_the_old_output_or_the_new_one(self):
        ends = {"killed": 0, "interrupted": 0, "finished": 0}
        for name, (command, output) in commands().items():
            new = self.new_content(command, output)
            seconds = self.seconds([*command, "-o", output])
            for _ in range(count(70, 4)):
                (self.dir / output).write_bytes(OLD)
                number = self.random.choice(SIGNALS)
                delay = self.random.uniform(0, 1.1 * seconds)
                code, said = self.start_and_signal([*command, "-o", output], delay, number)
                what = f"{name}, {number.name} after {delay:.3f} of {seconds:.3f} s: {code} {said}"
                self.assertIn((self.dir / output).read_bytes(), (OLD, new), what)
                if code == 1:
                    ends["interrupted"] += 1
                    lines = [line for line in said.splitlines() if not line.startswith("otss: note:")]
                    self.assertEqual(len(lines), 1, what)
                    self.assertTrue(lines[0].startswith("otss: error: interrupted"), what)
                    self.assertEqual(self.others(output), set(), what)
                else:
                    # A signal that comes before the program is ready for it has its default action.
                    self.assertIn(code, (0, -number), what)
                    ends["finished" if code == 0 else "killed"] += 1
            self.call_in(self.dir, *command, "-o", output)
            self.assertEqual((self.dir / output).read_bytes(), new, name)
            self.assertEqual(self.others(output), set(), f"{name}: leftovers")
            os.unlink(self.dir / output)
        print(f"signals: {ends}")

    def test_a_killed_study_goes_on_to_the_same_results(self):
        study = ["study", "rates", "--seeds", count(6, 2), "--threads", 1]
        begin = time.monotonic()
        self.call_in(self.dir, *study, "-o", "whole")
        seconds = time.monotonic() - begin
        whole = results_in(self.dir / "whole/rates")
        for number in range(count(12, 1)):
            folder = f"study-{number}"
            for _ in range(count(5, 2)):
                self.start_and_signal([*study, "-o", folder], self.random.uniform(0, 0.5 * seconds), signal.SIGKILL)
            self.call_in(self.dir, *study, "-o", folder)
            parts = results_in(self.dir / folder / "rates")
            self.assertEqual(parts, whole)


if __name__ == "__main__":
    unittest.main()
