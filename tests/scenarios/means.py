"""The real means that put a training into a state. Each takes effect on a running job and is taken back again.

`available()` says why a means cannot be had on this machine, or None. What it does to the machine, a janitor knows.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import cgroups
from job import Failure, children, end_group, start_group


def needs_root():
    return None if os.geteuid() == 0 else "needs root"


class Means:
    """Nothing is done. The order of calls: before, begin, end, after."""

    doctor_prefix = ()  # before the doctor's command

    def available(self, place):
        return None

    def before(self, place):
        """Before the training starts. `place` says where things are; its `images` and `prefix` may be replaced."""

    def begin(self, job):
        """Puts the running job into the state."""

    def end(self, job):
        """Lifts the state; the job runs on."""

    def after(self):
        """When the job has ended."""


class Quota(Means):
    """A cgroup's CPU quota."""

    def __init__(self, cpus, version):
        self.cpus, self.version, self.group = cpus, version, None

    def available(self, place):
        return needs_root() or cgroups.why_not("cpu", self.version)

    def before(self, place):
        self.janitor = place.janitor

    def begin(self, job):
        self.group = self.group or cgroups.Cgroup("cpu", self.version, self.janitor)
        for pid in [job.pid, *job.workers()]:
            self.group.add(pid)
        self.group.set_quota(self.cpus)

    def end(self, job):
        self.group.set_quota(None)

    def after(self):
        if self.group:
            self.group.remove()
        self.group = None  # another attempt makes its own


class QuotaShownAsV2(Quota):
    """A real quota of version 1 that the doctor sees as version 2: a fixture tree, kept up to date, is mounted over
    /sys/fs/cgroup and the job's /proc/PID/cgroup for the doctor alone. For kernels whose version 2 has no controllers."""

    NAME = "/training.slice"

    def __init__(self, cpus):
        super().__init__(cpus, 1)

    def available(self, place):
        if reason := super().available(place):
            return reason
        if not shutil.which("unshare"):
            return "no unshare"
        tried = subprocess.run(["unshare", "--mount", "mount", "--make-rprivate", "/"], capture_output=True, check=False)
        return None if tried.returncode == 0 else "this kernel or container allows no mounts of its own"

    def before(self, place):
        super().before(place)
        self.folder = os.path.join(place.folder, "cgroup-v2")
        self.membership = os.path.join(place.folder, "membership")
        os.makedirs(self.folder + self.NAME, exist_ok=True)
        cgroups.write(self.membership, f"0::{self.NAME}\n")
        for name in ("", self.NAME):
            cgroups.write(f"{self.folder}{name}/cgroup.controllers", "cpu io memory\n")
        self.stop = threading.Event()

    def begin(self, job):
        super().begin(job)
        script = ('mount --make-rprivate / && mount --bind "$1" /sys/fs/cgroup && mount --bind "$2" "$3" && shift 3 '
                  '&& exec "$@"')
        self.doctor_prefix = ["unshare", "--mount", "sh", "-c", script, "sh", self.folder, self.membership,
                              f"/proc/{job.pid}/cgroup"]
        self.stop.clear()
        self.copy()
        threading.Thread(target=self.keep_copying, daemon=True).start()

    def copy(self):
        group = self.folder + self.NAME
        stat = dict(line.split() for line in cgroups.read(f"{self.group.folder}/cpu.stat").splitlines())
        quota = cgroups.read(f"{self.group.folder}/cpu.cfs_quota_us")
        text = "usage_usec 0\nuser_usec 0\nsystem_usec 0\n" + "".join(
            f"{name} {stat.get(name, 0)}\n" for name in ("nr_periods", "nr_throttled"))
        text += f"throttled_usec {int(stat.get('throttled_time', 0)) // 1000}\n"
        for name, content in (("cpu.stat", text), ("cpu.max", f"{'max' if quota == '-1' else quota} {cgroups.PERIOD_US}\n")):
            cgroups.write(f"{group}/{name}.new", content)
            os.rename(f"{group}/{name}.new", f"{group}/{name}")

    def keep_copying(self):
        while not self.stop.wait(0.05):
            self.copy()

    def end(self, job):
        self.stop.set()
        super().end(job)

    def after(self):
        self.stop.set()
        time.sleep(0.1)
        super().after()


class ReadLimit(Means):
    """A cgroup's limit on reads from the disk that holds the images."""

    def __init__(self, bytes_per_s):
        self.bytes_per_s, self.group = bytes_per_s, None
        self.version = 1 if cgroups.folder_of("blkio", 1) else 2

    def available(self, place):
        if needs_root():
            return needs_root()
        if cgroups.disk_of(place.images) is None:
            return "the build folder lies on no block device"
        return cgroups.why_not("blkio" if self.version == 1 else "io", self.version)

    def before(self, place):
        self.janitor, self.disk = place.janitor, cgroups.disk_of(place.images)

    def begin(self, job):
        self.group = self.group or cgroups.Cgroup("blkio" if self.version == 1 else "io", self.version, self.janitor)
        for pid in [job.pid, *job.workers()]:
            self.group.add(pid)
        self.group.set_read_limit(self.disk, self.bytes_per_s)

    def end(self, job):
        self.group.set_read_limit(self.disk, None)

    def after(self):
        if self.group:
            self.group.remove()


class Affinity(Means):
    """taskset: the job may use the first few CPUs only."""

    def __init__(self, cpus):
        self.cpus = cpus

    def begin(self, job):
        self.all = os.sched_getaffinity(0)
        for thread in job.threads():
            os.sched_setaffinity(thread, sorted(self.all)[:self.cpus])

    def end(self, job):
        for thread in job.threads():
            os.sched_setaffinity(thread, self.all)


class Neighbours(Means):
    """Foreign processes that want a CPU each."""

    def __init__(self, count):
        self.count, self.processes = count, []

    def before(self, place):
        self.janitor = place.janitor

    def begin(self, job):
        self.processes = [start_group(self.janitor, [sys.executable, "-c", "while True: pass"]) for _ in range(self.count)]

    def end(self, job):
        while self.processes:
            end_group(self.janitor, self.processes.pop())

    def after(self):
        self.end(None)


class Stopped(Means):
    """SIGSTOP to one of the workers."""

    def begin(self, job):
        self.worker = job.workers()[0]
        os.kill(self.worker, signal.SIGSTOP)
        time.sleep(1.5)  # until the batches that are ready have been used up

    def end(self, job):
        os.kill(self.worker, signal.SIGCONT)


class SlowFolder(Means):
    """The images behind a FUSE file system whose reads wait, or share a bandwidth. Units: seconds, bytes/s; 0: none."""

    def __init__(self, latency_s=0.0, bytes_per_s=0.0):
        self.latency_s, self.bytes_per_s, self.server = latency_s, bytes_per_s, None

    def available(self, place):
        if needs_root():
            return needs_root()
        if not place.slow_file_system:
            return "built without libfuse3 (package libfuse3-dev)"
        return None if os.path.exists("/dev/fuse") else "no /dev/fuse"

    def before(self, place):
        self.janitor, self.mount = place.janitor, os.path.join(place.folder, "slow")
        if self.server is None:
            os.makedirs(self.mount, exist_ok=True)
            self.janitor.did("mount", self.mount)
            self.server = start_group(self.janitor, [
                place.slow_file_system, place.data, str(int(self.latency_s * 1e6)), str(int(self.bytes_per_s)), self.mount])
            for _ in range(100):
                if os.path.ismount(self.mount):
                    break
                if self.server.poll() is not None:
                    raise Failure("the slow file system did not start")
                time.sleep(0.05)
        place.images = os.path.join(self.mount, os.path.basename(place.images))

    def end(self, job):
        """As if the storage were replaced by a quick one."""
        self.server.send_signal(signal.SIGUSR1)

    def after(self):
        if self.server:
            subprocess.run(["umount", "-l", self.mount], check=False)
            self.janitor.undone("mount", self.mount)
            end_group(self.janitor, self.server)


class Container(Means):
    """PID, mount and cgroup namespaces of its own, as a container has; the doctor looks from inside."""

    def available(self, place):
        if needs_root():
            return needs_root()
        if not (shutil.which("unshare") and shutil.which("nsenter")):
            return "no unshare or nsenter (package util-linux)"
        tried = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "true"], capture_output=True, check=False)
        return None if tried.returncode == 0 else "this kernel or container allows no PID namespace"

    def before(self, place):
        place.prefix = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]

    def begin(self, job):
        inside = job.pid
        with open(f"/proc/{inside}/status", encoding="ascii") as file:
            numbers = next(line for line in file if line.startswith("NSpid:")).split()
        job.pid_for_doctor = int(numbers[-1])
        self.doctor_prefix = ["nsenter", "--target", str(inside), "--pid", "--mount"]
