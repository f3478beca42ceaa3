"""How far pixels are from a reference's. Runs in the reference's environment: agreement.py PIXELS.npy REFERENCE.npy prints JSON."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Agreement:
    """Absolute differences of all values (3 a pixel), in levels of 255."""

    mean: float
    p99: float
    most: int
    bounds: tuple[float, float]  # of mean and p99

    @property
    def holds(self) -> bool:
        return self.mean <= self.bounds[0] and self.p99 <= self.bounds[1]

    def __str__(self) -> str:
        verdict = "agrees" if self.holds else "DOES NOT AGREE"
        return (f"{verdict}: {self.mean:.2f} levels off in the mean (bound {self.bounds[0]:g}), {self.p99:g} at the 99th percentile "
                f"(bound {self.bounds[1]:g}), {self.most} at most")


def compare(python: Path, pixels: Path, reference: Path, bounds: tuple[float, float]) -> Agreement:
    """Two files that Child.save wrote, by a `python` that has NumPy."""
    found = subprocess.run([python, __file__, pixels, reference], check=True, capture_output=True, text=True).stdout
    return Agreement(**json.loads(found), bounds=bounds)


def main() -> None:
    import numpy as np

    ours, theirs = (np.load(path, mmap_mode="r") for path in sys.argv[1:])
    counts = np.zeros(256, np.int64)
    for begin in range(0, len(ours), 1 << 22):
        part = slice(begin, begin + (1 << 22))
        counts += np.bincount(np.abs(ours[part].astype(np.int16) - theirs[part]), minlength=256)
    values = counts.sum()
    print(json.dumps({"mean": float(counts @ np.arange(256) / values), "p99": int(np.searchsorted(counts.cumsum(), 0.99 * values)),
                      "most": int(counts.nonzero()[0][-1])}))


if __name__ == "__main__":
    main()
