"""A peer in a process of its own, which runs when told to; the unit that all are divided by, and a round of turns."""

import json
import os
import select
import signal
import statistics
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from environments import NotInstalled

CHILD = Path(__file__).parent / "child.py"
TURBO = Path(__file__).parent / "turbo.py"
PATIENCE_S = 600  # for one answer; the first may compile


class Failed(Exception):
    """What the child said before it ended."""


# What keeps one peer from being measured, and no other.
TROUBLES = (NotInstalled, Failed, OSError, subprocess.CalledProcessError)


@dataclass
class Turn:
    images: int
    wall_s: float
    cpu_s: float  # user and system, of all its processes

    @property
    def per_cpu_s(self) -> float:
        return self.images / max(self.cpu_s, 1e-9)


class Child:
    """`module` (a file that has `open(**arguments)`) in the interpreter `python`. Errors: Failed, in every member."""

    def __init__(self, python: Path, module: Path, arguments: dict, environment: Mapping[str, str] | None = None) -> None:
        self.talk = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(
            [python, CHILD, module, json.dumps(arguments)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.talk, start_new_session=True, env={**os.environ, **(environment or {})},
        )
        try:
            self.ask(None)
        except BaseException:
            self.end()
            raise

    def ask(self, request: dict | None) -> dict:
        try:
            if request is not None:
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], PATIENCE_S)[0]:
                self.end()
                raise Failed(f"no answer in {PATIENCE_S} s")
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            status = self.end()
            self.talk.seek(0)
            words = [line.strip() for line in self.talk.read().splitlines() if line.strip()]
            raise Failed(f"{words[-1][:200] if words else 'no word'} (status {status})")
        return json.loads(answer)

    def turn(self, seconds: float) -> Turn:
        return Turn(**self.ask({"do": "turn", "seconds": seconds}))

    def save(self, count: int, path: Path) -> list[list[int]]:
        """Writes the first `count` images of an epoch, as uint8 [height, width, 3] one behind the other; gives their shapes."""
        return self.ask({"do": "save", "count": count, "path": str(path)})["shapes"]

    def end(self) -> int:
        """Ends it, and what it started."""
        try:
            self.process.stdin.close()
            self.process.wait(timeout=10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return self.process.wait()


def take_turns(children: dict[str, Child], turbo: Child, rounds: int, seconds: float, fail) -> dict[str, list[dict]]:
    """Of each child a turn a round, one at a time, each between two of the unit's. fail(name, error) hears of those that end early."""
    turns: dict[str, list[dict]] = {name: [] for name in children}
    unit = turbo.turn(UNIT_S)
    for _ in range(rounds):
        for name in list(children):
            try:
                turn = children[name].turn(seconds)
            except Failed as error:
                children.pop(name)
                fail(name, error)
                continue
            before, unit = unit, turbo.turn(UNIT_S)
            per_cpu_s = (before.images + unit.images) / (before.cpu_s + unit.cpu_s)
            turns[name].append({"ratio": turn.per_cpu_s / per_cpu_s, "per_cpu_s": turn.per_cpu_s, "turbo": per_cpu_s,
                                "images_per_s": turn.images / turn.wall_s, "images": turn.images})
    return turns


UNIT_S = 0.5  # of a turn of the unit


def median(turns: list[dict], figure: str = "ratio") -> float:
    return statistics.median(turn[figure] for turn in turns)
