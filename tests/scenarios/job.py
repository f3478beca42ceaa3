"""A training under way, and the doctor's look at it."""

import json
import os
import signal
import subprocess
import sys
import time

from truth import steps_done, truth_between

HERE = os.path.dirname(os.path.abspath(__file__))
WARM_STEPS, WARM_SECONDS = 8, 2.5
SLOWEST_START = 40


class Failure(Exception):
    """A scenario that could not be played, with the reason; no word about the verdict."""


def start_group(janitor, command, **keywords):
    """Starts a command as the leader of a process group of its own, which ends with the run."""
    process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, **keywords)
    janitor.did("group", str(process.pid))
    return process


def end_group(janitor, process):
    try:
        os.killpg(process.pid, signal.SIGKILL)  # stopped ones too
    except ProcessLookupError:
        pass
    process.wait()
    janitor.undone("group", str(process.pid))


def children(pid):
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def name_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def cpu_s(pid):
    """CPU seconds of one process; 0 where it has gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine_cpu_s():
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


class Job:
    """One training process and its workers. `prefix` is put before the command (a container, say)."""

    def __init__(self, janitor, folder, images, trainer, prefix=(), arguments=()):
        self.janitor, self.trainer = janitor, dict(trainer)
        self.truth_log, self.nvml = os.path.join(folder, "truth.log"), os.path.join(folder, "gpu.events")
        self.errors = os.path.join(folder, "trainer.err")
        for path in (self.truth_log, self.nvml):
            if os.path.exists(path):
                os.remove(path)
        command = [*prefix, sys.executable, os.path.join(HERE, "trainer.py"), "--images", images,
                   "--truth", self.truth_log, "--nvml", self.nvml, *arguments]
        for name, value in self.trainer.items():
            if value is True:
                command.append(f"--{name}")
            elif value not in (False, None):
                command += [f"--{name}", str(value)]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                       "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(int(trainer.get("gpus", 1)))))}
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = start_group(janitor, command, stdout=errors, stderr=errors, env=environment)
        self.pid = self.process.pid
        self.wait_for_steps(2)
        while prefix and not name_of(self.pid).startswith("python"):  # the wrapper's only child, and so on
            self.pid = children(self.pid)[0]
        self.pid_for_doctor = self.pid
        with open(self.nvml, "a", encoding="ascii") as events:  # the driver numbers processes as the host does
            for index in range(int(self.trainer.get("gpus", 1))):
                events.write(f"process {time.monotonic():.6f} {index} pid={self.pid} memory_mib=9000\n")

    def wait_for_steps(self, count, seconds=0.0, since=0.0):
        """Until so many steps and seconds have passed since a moment."""
        start = time.monotonic()
        while True:
            times = [end for end, _ in steps_done(self.truth_log) if end >= since]
            now = time.monotonic()
            if len(times) >= count and now - max(since, times[0]) >= seconds:
                return
            if self.process.poll() is not None:
                with open(self.errors, encoding="utf-8") as file:
                    raise Failure(f"the trainer ended: {file.read()[-500:].strip()}")
            if now - start > SLOWEST_START:
                raise Failure(f"{len(times)} of {count} steps in {SLOWEST_START} s")
            time.sleep(0.1)

    def settle(self):
        """Until what is in flight since now is measured and nothing before it."""
        self.wait_for_steps(WARM_STEPS, WARM_SECONDS, time.monotonic())

    def workers(self):
        return [child for child in children(self.pid) if name_of(child) == "pt_data_worker"]

    def threads(self):
        return [int(thread) for pid in [self.pid, *self.workers()] for thread in os.listdir(f"/proc/{pid}/task")]

    def cpu_s(self):
        return cpu_s(self.pid) + sum(map(cpu_s, self.workers()))

    def truth(self, start, end):
        return truth_between(self.truth_log, self.nvml, start, end)

    def measure(self, seconds):
        start = time.monotonic()
        time.sleep(seconds)
        return self.truth(start, time.monotonic())

    def end(self):
        end_group(self.janitor, self.process)


class Doctor:
    """The program under test, with the fake driver where it looks for the real one."""

    def __init__(self, janitor, stoker, fake_nvml):
        self.janitor, self.stoker = janitor, stoker
        self.library_folder = os.path.dirname(os.path.abspath(fake_nvml))

    def run(self, arguments, nvml=None, prefix=(), timeout=90):
        """The report as JSON gives it. Errors: Failure."""
        environment = dict(os.environ)
        if nvml:
            before = environment.get("LD_LIBRARY_PATH")
            environment["STOKER_FAKE_NVML"] = nvml
            environment["LD_LIBRARY_PATH"] = self.library_folder + (f":{before}" if before else "")
        command = [*prefix, self.stoker, "doctor", "--json", *arguments]
        process = start_group(self.janitor, command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, talk = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"no answer within {timeout} s: {' '.join(command)}") from None
        finally:
            end_group(self.janitor, process)
        if process.returncode != 0:
            raise Failure(f"exit {process.returncode}: {' '.join(command)}: {talk.strip()[-500:]}")
        return json.loads(out)


def window_of(trace):
    """The first and the last snapshot's time of a recorded trace."""
    times = []
    with open(trace, encoding="utf-8") as file:
        for line in file:
            snapshot = json.loads(line).get("snapshot")
            if snapshot:
                times.append(snapshot["t"])
    if len(times) < 2:
        raise Failure(f"{trace}: {len(times)} snapshots")
    return times[0], times[-1]
