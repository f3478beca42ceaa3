"""Runs in a peer's environment: child.py MODULE ARGUMENTS. Reads requests, a JSON object a line, and answers each with one.

MODULE has `open(**arguments)`, which returns a function that yields the batches of an epoch: arrays of [n, …] images.
Whatever the peer prints goes to standard error: standard output is the answers' alone.
"""

import importlib.util
import json
import os
import resource
import sys
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def load(path: str):
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # worker processes find their functions by it
    spec.loader.exec_module(module)
    return module


def descendants() -> list[list[str]]:
    """/proc/PID/stat, behind the name, of all that this process started and that still lives."""
    of_parent: dict[int, list[tuple[int, list[str]]]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            of_parent.setdefault(int(fields[1]), []).append((int(entry), fields))
    found, todo = [], [os.getpid()]
    while todo:
        for pid, fields in of_parent.get(todo.pop(), []):
            found.append(fields)
            todo.append(pid)
    return found


def cpu_seconds() -> float:
    """User and system time of this process and its descendants so far. Resolution: 10 ms for each living descendant."""
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = sum(sum(map(int, fields[11:15])) for fields in descendants()) / TICKS
    return time.process_time() + waited.ru_utime + waited.ru_stime + living


class Runner:
    def __init__(self, batches) -> None:
        self.batches = batches
        self.cpu_s = cpu_seconds()

    def turn(self, seconds: float) -> dict:
        """Whole epochs, until `seconds` have gone.

        A turn's CPU time counts from the end of the last turn: what a peer does ahead of its reader is counted in the next, not lost.
        """
        images, begin = 0, time.perf_counter()
        while images == 0 or time.perf_counter() - begin < seconds:
            images += sum(len(batch) for batch in self.batches())
        wall_s, before, self.cpu_s = time.perf_counter() - begin, self.cpu_s, cpu_seconds()
        return {"images": images, "wall_s": wall_s, "cpu_s": self.cpu_s - before}

    def save(self, count: int, path: str) -> dict:
        """The first `count` images of an epoch, one behind the other as uint8, and their shapes."""
        import numpy as np

        kept: list = []
        for batch in self.batches():
            if len(kept) < count:
                array = batch.asnumpy() if hasattr(batch, "asnumpy") else np.array(batch)  # a copy: some reuse their memory
                kept += list(array if array.shape[-1] == 3 else array.transpose(0, 2, 3, 1))
        kept = kept[:count]
        np.save(path, np.concatenate([image.ravel() for image in kept]))
        return {"shapes": [image.shape for image in kept]}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def answer(value: dict) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    runner = Runner(load(sys.argv[1]).open(**json.loads(sys.argv[2])))
    answer({"ready": True})
    for line in requests:
        request = json.loads(line)
        answer(getattr(runner, request.pop("do"))(**request))


if __name__ == "__main__":
    main()
