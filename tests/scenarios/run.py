#!/usr/bin/env python3
"""Plays scenarios: a real training is put into a state, `stoker doctor` looks at it, its words are held against the truth.

    run.py --stoker build/stoker --fake-nvml build/…/libnvidia-ml.so.1 --results results.jsonl all

Each scenario's result is one line of --results, appended; --resume leaves out what stands there already.
Exit: 0 all verdicts right, 1 not, 77 nothing could be played (the reason is printed).
"""

import argparse
import json
import os
import re
import secrets
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field

from janitor import Janitor, remove_folder

SKIPPED = 77
FIX_SECONDS = 7
MOST_CPUS = 16


@dataclass
class Place:
    """Where a scenario is played. `images` and `prefix` are the means' to replace."""

    janitor: Janitor
    folder: str
    data: str
    slow_file_system: str
    images: str = ""
    prefix: list = field(default_factory=list)


def why_no_scenarios():
    try:
        import numpy  # noqa: F401
        import PIL  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        return f"{sys.executable} has no PyTorch to train with ({error})"
    online, allowed = os.cpu_count(), len(os.sched_getaffinity(0))
    if allowed < online:
        return f"only {allowed} of {online} CPUs may be used, which is a state of its own"
    if not 2 <= online <= MOST_CPUS:
        return f"{online} CPUs; the scenarios are made for 2 to {MOST_CPUS}"
    return None


class Player:
    """Plays one scenario after the other."""

    def __init__(self, options, doctor, janitor):
        self.options, self.doctor, self.janitor = options, doctor, janitor

    def play(self, name, scenario):
        """The result as a dictionary; `outcome` is played, skipped or failed."""
        from job import Failure

        result = {"name": name, "seed": self.options.seed, "state": scenario.state, "expected": scenario.expected,
                  "trainer": scenario.trainer}
        folder = tempfile.mkdtemp(prefix="stoker-scenario-")
        self.janitor.did("folder", folder)
        place = Place(self.janitor, folder, self.options.data, self.options.slow_file_system,
                      os.path.join(self.options.data, "large"))
        begin = time.monotonic()
        reason = next(filter(None, (means.available(place) for means in scenario.means)), None)
        if reason:
            result.update(outcome="skipped", reason=reason)
        else:
            try:
                result.update(self.examine(scenario, place), outcome="played")
            except (Failure, OSError, KeyError, ValueError, TypeError, IndexError) as error:
                result.update(outcome="failed", reason=f"{type(error).__name__}: {error}", right=False)
            finally:
                for means in reversed(scenario.means):
                    means.after()
        remove_folder(folder)
        self.janitor.undone("folder", folder)
        result["took_s"] = round(time.monotonic() - begin, 1)
        return result

    def start(self, scenario, place, trainer):
        """A running, warm job in the scenario's state."""
        from job import Job

        for means in scenario.means:
            means.before(place)
        job = Job(self.janitor, place.folder, place.images, trainer, place.prefix)
        try:
            if scenario.expected == ("hang",):
                job.settle()
            for means in scenario.means:
                means.begin(job)
            if scenario.few_steps:
                job.wait_for_steps(3)
            elif scenario.expected != ("hang",):
                job.settle()
        except BaseException:
            job.end()
            raise
        return job

    def examine(self, scenario, place):
        job = self.start(scenario, place, scenario.trainer)
        try:
            result = self.diagnose(scenario, place, job)
            if scenario.fix and not self.options.no_fix:
                after, job = self.mend(scenario, place, job, result)
                before = result["images_per_s"]
                result["fixed_images_per_s"] = after.images_per_s
                result["foreign_cpus_after"] = self.foreign
                result["measured_gain"] = after.images_per_s / before - 1 if before else None
            return result
        finally:
            job.end()

    def diagnose(self, scenario, place, job):
        from job import window_of

        trace = os.path.join(place.folder, "trace.jsonl")
        arguments = ["--pid", str(job.pid_for_doctor), "--seconds", str(self.options.seconds), "--record", trace]
        if scenario.probe:
            arguments.append("--probe")
        prefix = [word for means in scenario.means for word in means.doctor_prefix]
        with Foreign(job) as foreign:
            report = self.doctor.run(arguments, job.nvml, prefix)
        start, end = window_of(trace)
        truth = job.truth(start, end)
        replay = self.doctor.run(["--trace", trace])
        if self.options.keep:
            with open(trace, "rb") as source, open(os.path.join(self.options.keep, f"{scenario.name}.jsonl"), "wb") as copy:
                copy.write(source.read())
        step_s = scenario.trainer["batch"] / truth.images_per_s if truth.images_per_s else end - start
        return judge(scenario, report, replay, truth, foreign.cpus, step_s)

    def mend(self, scenario, place, job, result):
        """Applies the fix; the truth afterwards, and the job that runs then."""
        fix = scenario.fix
        trainer = {**scenario.trainer, **fix.trainer}
        if not fix.words:
            trainer["workers"] += 1
        if fix.workers_as_told and result["told_workers"]:
            trainer["workers"] = result["told_workers"]
        if fix.lift and trainer == scenario.trainer:
            for means in scenario.means:
                means.end(job)
            job.settle()
            return self.measure(job), job
        job.end()
        place.images = os.path.join(place.data, fix.images or os.path.basename(place.images))
        place.prefix = []
        job = self.start(scenario, place, trainer)
        return self.measure(job), job

    def measure(self, job):
        with Foreign(job) as foreign:
            truth = job.measure(FIX_SECONDS)
        self.foreign = foreign.cpus
        return truth


class Foreign:
    """CPUs that others than a job used meanwhile, the doctor and the scenario's neighbours among them."""

    def __init__(self, job):
        self.job, self.cpus = job, 0.0

    def now(self):
        from job import machine_cpu_s

        return time.monotonic(), machine_cpu_s() - self.job.cpu_s()

    def __enter__(self):
        self.begin, self.before = self.now()
        return self

    def __exit__(self, *_):
        end, after = self.now()
        self.cpus = (after - self.before) / (end - self.begin)


def judge(scenario, report, replay, truth, foreign, step_s):
    """The report held against the truth. Faults are what is wrong beside the verdict."""
    faults = []
    if replay["verdict"] != report["verdict"]:
        faults.append(f"the replayed trace says {replay['verdict']}")
    words = " ".join([report["summary"], *report.get("causes", [])])
    faults += [f"summary and causes do not say /{wanted}/" for wanted in scenario.says if not re.search(wanted, words)]
    gpu = report["gpu"][0] if report["gpu"] else {}
    if scenario.oscillates:
        faults += swing_faults(gpu, step_s, truth.busy)
    elif gpu.get("period_s") is not None and gpu["period_s"] < 0.8 * step_s:  # several steps may make one, by worker and worker
        faults.append(f"a period of {gpu['period_s']:.2f} s is seen, of steps of {step_s:.2f} s")
    chosen = chosen_fix(scenario.fix, report["fixes"])
    if scenario.fix and scenario.fix.words and chosen is not (report["fixes"] or [None])[0]:
        faults.append("the first fix is another" if chosen else f"no fix says /{scenario.fix.words}/")
    gain = chosen["predicted_gain"] if chosen else None
    label = chosen["label"] if chosen else "unknown"
    if scenario.fix and not scenario.fix.words:
        gain, label = 0.0, "none"  # GPU-bound says: no change of the data path brings anything
    return {
        "verdict": report["verdict"], "right": report["verdict"] in scenario.expected and not faults,
        "summary": report["summary"], "confidence": report["confidence"], "faults": faults,
        "stall_share": report["stall_share"], "true_stall": truth.stall, "true_waiting": truth.waiting,
        "images_per_s": truth.images_per_s, "said_images_per_s": report["images_per_s"], "true_busy": truth.busy,
        "util_mean": gpu.get("util_mean"), "true_main": truth.main, "foreign_cpus": foreign, "predicted_gain": gain,
        "label": label, "fix": chosen["what"] if chosen else None, "told_workers": told_workers(chosen),
        "fixes": [[fix["what"], fix["predicted_gain"], fix["label"]] for fix in report["fixes"]],
        "cpu": report["cpu"], "io": report["io"], "unknown": report["unknown"], "evidence": report["evidence"],
    }


def swing_faults(gpu, period_s, duty):
    """The period within 10 %, the duty within 10 points of the loop's own."""
    if gpu.get("period_s") is None or gpu.get("duty_share") is None:
        return [f"no oscillation is seen, of a period of {period_s:.2f} s"]
    faults = []
    if abs(gpu["period_s"] / period_s - 1) > 0.1:
        faults.append(f"period {gpu['period_s']:.2f} s of {period_s:.2f} s")
    if abs(gpu["duty_share"] - duty) > 0.1:
        faults.append(f"duty {gpu['duty_share']:.2f} of {duty:.2f}")
    return faults


def chosen_fix(fix, offered):
    """The first fix offered, unless the scenario applies a later one."""
    if not fix or not fix.words:
        return None
    return next((one for one in offered if re.search(fix.words, one["what"], re.IGNORECASE)), None)


def told_workers(fix):
    for how in fix["how"] if fix else []:
        number = re.search(r"num_workers=(\d+)", how["text"])
        if number:
            return int(number[1])
    return None


def already_played(path, seed):
    """The results that stand in a file, of this seed where one was given."""
    results = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            results = [json.loads(one) for one in file if one.endswith("\n")]
    return [one for one in results if seed is None or one["seed"] == seed]


def wait_for_quiet(seconds, limit=0.15):
    """Until other programs use less than `limit` CPUs, or the time is over."""
    from job import machine_cpu_s

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin, before = time.monotonic(), machine_cpu_s()
        time.sleep(1)
        if (machine_cpu_s() - before) / (time.monotonic() - begin) < limit:
            return


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("names", nargs="*", help="scenarios, or: all, fast")
    add("--list", action="store_true")
    add("--stoker")
    add("--fake-nvml", help="the library libnvidia-ml.so.1")
    add("--slow-file-system", default="")
    add("--data", default="scenario-data", help="where the images are, or are made")
    add("--results", default="scenarios.jsonl")
    add("--resume", action="store_true")
    add("--seed", type=int, help="default: a new one, printed")
    add("--seconds", type=float, default=10, help="that the doctor looks")
    add("--attempts", type=int, default=1, help="with the same seed; other programs disturb")
    add("--no-fix", action="store_true", help="verdicts only")
    add("--wait-quiet", type=float, default=0, help="seconds at most, before each scenario")
    add("--keep", help="a folder for the recorded traces")
    add("--limits", action="store_true", help="the errors of all figures count too")
    add("--markdown", action="store_true", help="print the table of all results and play nothing")
    return parser.parse_args()


def play_all(options, player, chosen):
    results = already_played(options.results, options.seed) if options.resume else []
    done = {one["name"] for one in results if one["outcome"] == "played"}
    results = [one for one in results if one["outcome"] == "played"]
    for name, scenario in chosen.items():
        if name in done:
            continue
        scenario.name = name
        for attempt in range(options.attempts):
            wait_for_quiet(options.wait_quiet)
            result = player.play(name, scenario)
            from results import line
            print(line(result), flush=True)
            if result["outcome"] == "skipped" or result["right"]:
                break
            print(f"  attempt {attempt + 1} of {options.attempts}: {result.get('summary', '')}", flush=True)
        results.append(result)
        with open(options.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
    return results


def main():
    options = arguments()
    import results as told
    if options.markdown:
        every = already_played(options.results, options.seed)
        print(told.markdown(every))
        print("\n".join(["", *told.summary(every)]))
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130))
    janitor = Janitor()  # before threads are there
    reason = why_no_scenarios()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    import images
    from job import Doctor
    from scenarios import scenarios
    if options.seed is None:
        earlier = already_played(options.results, None) if options.resume else []
        options.seed = earlier[-1]["seed"] if earlier else secrets.randbelow(10**6)
    images.make_images(options.data)
    large = os.path.join(options.data, "large")
    image_ms = images.image_ms(large)
    every = scenarios(options.seed, image_ms, images.mean_bytes(large), os.cpu_count())
    unknown = [name for name in options.names if name not in every and name not in ("all", "fast")]
    if unknown or options.list or not options.names:
        print(f"scenarios: {' '.join(every)}, all, fast: {' '.join(name for name, one in every.items() if one.fast)}")
        return 2 if unknown else 0
    chosen = {name: one for name, one in every.items()
              if name in options.names or "all" in options.names or ("fast" in options.names and one.fast)}
    print(f"seed {options.seed} · {image_ms:.2f} ms an image · {os.cpu_count()} CPUs", flush=True)
    player = Player(options, Doctor(janitor, os.path.abspath(options.stoker), options.fake_nvml), janitor)
    played = play_all(options, player, chosen)
    print("\n".join(told.summary(played)))
    unsaid = [one for one in played if one["outcome"] == "skipped" or not options.limits and told.disturbed(one)]
    for one in unsaid:
        if one["outcome"] != "skipped":
            print(f"{one['name']}: disturbed by {one['foreign_cpus']:.1f} CPUs of others; its verdict says nothing")
    if len(unsaid) == len(played):
        return SKIPPED
    over = told.over_limits(played) if options.limits else []
    print("\n".join(over), end="\n" if over else "")
    return 0 if not over and all(one in unsaid or one["right"] for one in played) else 1


if __name__ == "__main__":
    sys.exit(main())
