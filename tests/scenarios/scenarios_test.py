#!/usr/bin/env python3
"""The scenarios' own parts: what holds the doctor's words against the truth must be right first. Needs no PyTorch."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import job
import results
import run
import truth
from scenarios import Fix, Scenario


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Truth(Folder):
    """Two steps of 32 images: 1 s of waiting, 0.5 s of the GPU, 0.5 s in the main thread."""

    LOOP = "pid 1\nwait 10\nmain 11\ngpu 11.5\ndone 12 32\nwait 12\nmain 13\ngpu 13.5\ndone 14 32\nwait 14\n"
    GPU = "gpu 0 name=A\nbusy 11.5 0\nidle 12 0\nbusy 13.5 0\nidle 14 0\n"

    def between(self, start, end, loop=LOOP, gpu=GPU):
        return truth.truth_between(self.write("loop", loop), self.write("gpu", gpu), start, end)

    def test_whole_steps(self):
        found = self.between(10, 14)
        self.assertEqual((found.steps, found.images_per_s), (2, 16))
        self.assertEqual((found.waiting, found.stall, found.main, found.busy), (0.5, 0.5, 0.25, 0.25))

    def test_a_window_cuts_phases(self):
        found = self.between(10.5, 11.25)
        self.assertEqual(found.steps, 0)
        self.assertAlmostEqual(found.stall, 2 / 3)
        self.assertAlmostEqual(found.main, 1 / 3)

    def test_the_last_phase_lasts(self):
        self.assertEqual(self.between(15, 25).stall, 1)

    def test_a_busy_gpu_does_not_stall(self):
        found = self.between(10, 14, gpu="busy 10.5 0\nidle 12 0\nbusy 12 0\nidle 12.25 0\n")
        self.assertEqual(found.waiting, 0.5)
        self.assertEqual(found.stall, (4 - 1.75 - 1 + 0.5) / 4)

    def test_a_half_written_line_waits(self):
        self.assertEqual(self.between(10, 14, loop=self.LOOP + "main 1").steps, 2)

    def test_other_gpus_are_not_counted(self):
        self.assertEqual(self.between(10, 14, gpu=self.GPU + "busy 10 1\n").busy, 0.25)


def report(**more):
    fix = {"what": "more workers: 1 → 2", "predicted_gain": 0.5, "label": "estimate",
           "how": [{"tool": "PyTorch DataLoader", "text": "DataLoader(num_workers=2)"}]}
    return {"verdict": "too_few_workers", "summary": "6 of 8", "confidence": 1, "causes": [], "stall_share": 0.4,
            "images_per_s": None, "fixes": [fix], "gpu": [{"period_s": None, "duty_share": None}], "cpu": {}, "io": {},
            "unknown": [], "evidence": [], **more}


class Judging(unittest.TestCase):
    TRUE = truth.Truth(100, 50, 0.5, 0.5, 0, 0.5)

    def judged(self, said=None, replayed="too_few_workers", step_s=0.05, **scenario):
        made = Scenario("k", {}, ("too_few_workers",), Fix("more workers"), **scenario)
        said = said or report()
        return run.judge(made, said, {"verdict": replayed}, self.TRUE, 0, step_s)

    def test_right(self):
        found = self.judged()
        self.assertTrue(found["right"])
        self.assertEqual((found["predicted_gain"], found["told_workers"]), (0.5, 2))

    def test_another_verdict_is_wrong(self):
        self.assertFalse(self.judged(report(verdict="cpu_bound"))["right"])

    def test_a_replay_that_differs_is_wrong(self):
        self.assertFalse(self.judged(replayed="cpu_bound")["right"])

    def test_the_fix_must_come_first(self):
        other = {"what": "more CPUs", "predicted_gain": 1, "label": "up_to", "how": []}
        found = self.judged(report(fixes=[other, *report()["fixes"]]))
        self.assertEqual(found["faults"], ["the first fix is another"])
        self.assertEqual(found["predicted_gain"], 0.5)

    def test_what_must_be_said(self):
        self.assertTrue(self.judged(says=(r"\b6\b",))["right"])
        self.assertFalse(self.judged(says=(r"\b7\b",))["right"])

    def test_no_period_is_shorter_than_a_step(self):
        self.assertFalse(self.judged(report(gpu=[{"period_s": 0.5, "duty_share": 0.5}]), step_s=0.9)["right"])

    def test_a_period_that_must_be_seen(self):
        seen = report(gpu=[{"period_s": 2.0, "duty_share": 0.5}])
        self.assertTrue(self.judged(seen, step_s=2.1, oscillates=True)["right"])
        self.assertFalse(self.judged(seen, step_s=2.5, oscillates=True)["right"])
        self.assertFalse(self.judged(step_s=2, oscillates=True)["right"])


class Errors(unittest.TestCase):
    @staticmethod
    def result(said, true, predicted, measured, label="estimate"):
        return {"name": "x", "outcome": "played", "right": True, "stall_share": said, "true_stall": true,
                "predicted_gain": predicted, "measured_gain": measured, "label": label}

    def test_of_images_per_s(self):
        self.assertAlmostEqual(results.gain_error(self.result(0, 0, 1.0, 0.6)), 0.25)
        self.assertIsNone(results.gain_error(self.result(0, 0, None, 0.6)))

    def test_limits(self):
        good = [self.result(0.5, 0.52, 1.0, 0.95)] * 5
        self.assertEqual(results.over_limits([*good, self.result(0.5, 0.5, 1.0, 0.6)]), [])
        self.assertEqual(len(results.over_limits([*good, *[self.result(0.5, 0.5, 1.0, 0.6)] * 2])), 1)
        self.assertEqual(len(results.over_limits([self.result(0.5, 0.65, 1.0, 0.95)])), 1)
        self.assertEqual(results.over_limits([*good, self.result(0.5, 0.5, 0.0, 0.6, "at_least")]), [])

    def test_a_wrong_verdict_beside_other_programs_says_nothing(self):
        wrong = {**self.result(0.5, 0.5, None, None), "right": False, "foreign_cpus": 0.9}
        self.assertTrue(results.disturbed(wrong))
        self.assertFalse(results.disturbed({**wrong, "foreign_cpus": 0.1}))
        self.assertFalse(results.disturbed({**wrong, "right": True}))
        self.assertFalse(results.disturbed({**wrong, "name": "neighbours_many"}), "they are its own")

    def test_the_table_has_a_row_each(self):
        rows = {"state": "k", "expected": ["hang"], "verdict": "hang", "images_per_s": 0.0}
        table = results.markdown([{**self.result(0.5, 0.5, None, None, "unknown"), **rows},
                                  {"name": "y", "state": "b", "outcome": "skipped", "reason": "needs root", "expected": ["hang"]}])
        self.assertEqual(len(table.splitlines()), 4)
        self.assertIn("needs root", table)


class Janitors(Folder):
    """What a killed run leaves is undone."""

    RUN = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from janitor import Janitor
from job import start_group, end_group
janitor = Janitor()
os.mkdir(sys.argv[2])
janitor.did("folder", sys.argv[2])
left = start_group(janitor, ["sleep", "100"])
ended = start_group(janitor, ["sleep", "100"])
end_group(janitor, ended)
os.kill(left.pid, 19)
print(left.pid, flush=True)
time.sleep(100)
"""

    def test_kill(self):
        made = os.path.join(self.folder, "made")
        with subprocess.Popen([sys.executable, "-c", self.RUN, job.HERE, made], stdout=subprocess.PIPE, text=True) as process:
            left = int(process.stdout.readline())
            self.assertTrue(os.path.isdir(made))
            process.send_signal(signal.SIGKILL)
        for _ in range(100):
            if not os.path.exists(made) and not lives(left):
                return
            time.sleep(0.05)
        self.fail(f"folder there: {os.path.exists(made)}, process lives: {lives(left)}")


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
