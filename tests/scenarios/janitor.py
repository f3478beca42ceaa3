"""Undoes what a run did to the machine, also when the run is killed.

A process of its own, no descendant of the run, holds one end of a pipe. The run writes down what it does before it
does it; when the pipe closes, whatever was not undone by then is undone here.
"""

import os
import shutil
import signal
import subprocess
import time


class Janitor:
    """`did` before a deed, `undone` after it was taken back. Kinds: group (of processes), mount, cgroup, folder."""

    def __init__(self):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.close(writing)
                nowhere = os.open(os.devnull, os.O_RDWR)
                for descriptor in range(3):  # who waits for the run's output does not wait for this
                    os.dup2(nowhere, descriptor)
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                undo(open_deeds(reading))
            os._exit(0)
        os.wait()
        os.close(reading)
        self.pipe = writing

    def did(self, kind, name):
        os.write(self.pipe, f"+{kind} {name}\n".encode())

    def undone(self, kind, name):
        os.write(self.pipe, f"-{kind} {name}\n".encode())


def open_deeds(descriptor):
    """Reads until the run ends; returns what is left to undo."""
    deeds = []
    with os.fdopen(descriptor, encoding="utf-8") as lines:
        for line in lines:
            deed = tuple(line[1:].rstrip("\n").split(" ", 1))
            if line[0] == "+":
                deeds.append(deed)
            elif deed in deeds:
                deeds.remove(deed)
    return deeds


def undo(deeds):
    """Processes first, since they hold mounts and cgroups."""
    for wanted in ("group", "mount", "cgroup", "folder"):
        for kind, name in reversed(deeds):
            if kind == wanted:
                UNDO[kind](name)


def kill_group(number):
    """A stopped process dies of SIGKILL too; the group's number is not reused while one of its members lives."""
    try:
        os.killpg(int(number), signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def unmount(folder):
    subprocess.run(["umount", "-l", folder], stderr=subprocess.DEVNULL, check=False)


def remove_cgroup(folder):
    """Its processes are killed; the folder can go when the last of them has gone."""
    for _ in range(100):
        try:
            with open(os.path.join(folder, "cgroup.procs"), encoding="ascii") as file:
                for line in file:
                    try:
                        os.kill(int(line), signal.SIGKILL)
                    except (ProcessLookupError, ValueError):
                        pass
            os.rmdir(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.05)


def remove_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)


UNDO = {"group": kill_group, "mount": unmount, "cgroup": remove_cgroup, "folder": remove_folder}
