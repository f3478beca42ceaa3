"""The states of a training that the doctor must tell apart: how each is made, what must be said, what mends it.

Times are in units of what this machine needs, so that a state is the same on a slow and on a quick one: `image_ms` is the
CPU time of one image in a worker, `cpus` the CPUs online. Nearly everything is drawn from the seed.
"""

import random
import zlib
from dataclasses import dataclass, field

import means


@dataclass
class Fix:
    """What the first fix of the report comes down to. What is not named stays as it was."""

    words: str  # a regular expression that the fix's `what` matches
    trainer: dict = field(default_factory=dict)
    workers_as_told: bool = False  # num_workers from the fix's own words
    lift: bool = False  # the means are taken back
    images: str = ""


@dataclass
class Scenario:
    state: str  # the letter of the acceptance case
    trainer: dict
    expected: tuple  # of verdicts
    fix: Fix = None
    means: list = field(default_factory=list)
    probe: bool = False
    fast: bool = False  # belongs to the third that every test run plays
    says: tuple = ()  # regular expressions that summary and causes must match
    oscillates: bool = False  # slow enough to be seen: period and duty are checked
    few_steps: bool = False  # steps of seconds: the warm-up counts 3


NO_GAIN = Fix(words="", trainer={})  # nothing on the data's side brings anything: one more worker shows it
WORKERS = Fix(words="more workers", workers_as_told=True)


def scenarios(seed, image_ms, image_bytes, cpus):
    """All scenarios by name, drawn from the seed."""
    found = {}
    for name, make in MAKERS.items():
        found[name] = make(Draw(seed, name, image_ms, image_bytes, cpus))
    return found


class Draw:
    """One scenario's chance, and trainers in terms of it."""

    def __init__(self, seed, name, image_ms, image_bytes, cpus):
        self.chance = random.Random(seed * 65537 + zlib.crc32(name.encode()))
        self.seed, self.image_ms, self.image_bytes, self.cpus = seed, image_ms, image_bytes, cpus

    def between(self, low, high):
        return self.chance.uniform(low, high)

    def one_of(self, *values):
        return self.chance.choice(values)

    def trainer(self, workers, low, high, batch=0, **more):
        """A loop whose GPU takes between low and high times an image's CPU time, divided over half of the CPUs."""
        batch = batch or self.one_of(32, 48, 64)
        per_image = self.between(low, high) * self.image_ms * 2 / self.cpus
        return {"workers": workers, "batch": batch, "prefetch": self.one_of(2, 2, 3), "seed": self.seed,
                "gpu-ms": round(per_image * batch, 1), **more}

    def cores(self, low, high):
        """A number of CPUs, as shares of those that there are."""
        return round(self.between(low, high) * self.cpus, 2)


def gpu_bound(draw, **more):
    return Scenario("a", draw.trainer(draw.cpus, 1.1, 1.8, **more), ("gpu_bound",), NO_GAIN)


def too_few_workers(draw, **more):
    return Scenario("k", draw.trainer(draw.cpus // 2, 0.42, 0.66, **more), ("too_few_workers",), WORKERS)


def quota(draw, low, high, means_of, workers=None):
    return Scenario("b", draw.trainer(workers or draw.cpus, 0.5, 0.75), ("quota_throttled",),
                    Fix("no CPU quota", lift=True), [means_of(draw.cores(low, high))])


def neighbours(draw, counts):
    return Scenario("f", draw.trainer(draw.cpus, 0.5, 0.7), ("noisy_neighbour",),
                    Fix("CPUs to itself", lift=True), [means.Neighbours(draw.one_of(*counts))])


def oversubscribed(draw, threads, workers):
    trainer = draw.trainer(workers, 0.3, 0.45, **{"worker-threads": threads})
    return Scenario("g", trainer, ("oversubscribed",), Fix("one thread", {"worker-threads": 1}))


def slow_reads(draw, expected, probe):
    return Scenario("d", draw.trainer(draw.cpus, 0.5, 0.7), expected, WORKERS,
                    [means.SlowFolder(latency_s=draw.between(0.004, 0.010))], probe)


def bandwidth(draw, share_low, share_high):
    """A share of what the CPUs could take in."""
    return draw.between(share_low, share_high) * draw.image_bytes * 1e3 / draw.image_ms * draw.cpus


def storage_limit(draw, means_of, probe):
    return Scenario("c" if not probe else "d", draw.trainer(draw.cpus, 0.55, 0.8, cold=not probe), ("io_bandwidth",),
                    Fix("no limit on reading|faster store", lift=True), [means_of(bandwidth(draw, 0.12, 0.4))], probe)


def cpu_bound(draw):
    return Scenario("k", draw.trainer(draw.cpus + draw.one_of(0, 1), 0.17, 0.3), ("cpu_bound",),
                    Fix("short side", images="small"), probe=True, fast=True)


def too_many_workers(draw):
    return Scenario("g", draw.trainer(4 * draw.cpus, 0.2, 0.3), ("cpu_bound",),
                    Fix("short side", images="small"), probe=True)


def main_thread(draw):
    trainer = draw.trainer(draw.cpus, 0.35, 0.55)
    trainer["main-ms"] = round(draw.between(1.0, 1.7) * draw.image_ms * 2 / draw.cpus * trainer["batch"], 1)
    return Scenario("k", trainer, ("main_thread",), Fix("main thread", {"main-ms": 0}))


def affinity(draw):
    return Scenario("e", draw.trainer(draw.cpus, 0.45, 0.7), ("narrow_affinity",), Fix("all [0-9]+ CPUs", lift=True),
                    [means.Affinity(max(1, draw.cpus // 2))])


def hang(draw):
    return Scenario("h", draw.trainer(draw.cpus, 0.6, 0.9), ("hang",), Fix("go on", lift=True), [means.Stopped()])


def unused_gpus(draw):
    return Scenario("i", draw.trainer(draw.cpus, 1.2, 1.8, **{"gpus": 2, "gpus-present": 8}), ("gpu_unused",), None,
                    says=(r"\b(6|six)\b",))


def oscillation(draw):
    """Batches so large that the GPU's curve swings between 0 and 100 %."""
    scenario = too_few_workers(draw, batch=draw.one_of(320, 384, 448))
    scenario.state, scenario.oscillates, scenario.few_steps = "a", True, True
    return scenario


def fast(scenario):
    scenario.fast = True
    return scenario


MAKERS = {
    "gpu_bound": lambda d: fast(gpu_bound(d)),
    "gpu_bound_spinning": lambda d: gpu_bound(d, **{"gpu-mode": "spin"}),
    "gpu_bound_asynchronous": lambda d: gpu_bound(d, **{"gpu-mode": "async"}),
    "oscillation": oscillation,
    "too_few_workers": lambda d: fast(too_few_workers(d)),
    "too_few_workers_pinning": lambda d: too_few_workers(d, **{"pin-thread": True}),
    "too_few_workers_spinning": lambda d: too_few_workers(d, **{"gpu-mode": "spin"}),
    "too_few_workers_asynchronous": lambda d: too_few_workers(d, **{"gpu-mode": "async"}),
    "quota_v1": lambda d: fast(quota(d, 0.25, 0.5, lambda cpus: means.Quota(cpus, 1))),
    "quota_v1_wide": lambda d: quota(d, 0.65, 0.75, lambda cpus: means.Quota(cpus, 1), 2 * d.cpus),
    "quota_v2": lambda d: quota(d, 0.25, 0.5, lambda cpus: means.Quota(cpus, 2)),
    "quota_v2_shown": lambda d: quota(d, 0.25, 0.5, means.QuotaShownAsV2),
    "read_limit": lambda d: storage_limit(d, means.ReadLimit, False),
    "slow_reads": lambda d: slow_reads(d, ("io_wait",), False),
    "slow_reads_probed": lambda d: slow_reads(d, ("io_latency",), True),
    "narrow_bandwidth_probed": lambda d: storage_limit(d, lambda rate: means.SlowFolder(bytes_per_s=rate), True),
    "affinity": lambda d: fast(affinity(d)),
    "neighbours": lambda d: fast(neighbours(d, (d.cpus // 2, d.cpus))),
    "neighbours_many": lambda d: neighbours(d, (2 * d.cpus,)),
    "threads_64": lambda d: oversubscribed(d, 64 // d.cpus, d.cpus),
    "thread_bomb": lambda d: oversubscribed(d, d.one_of(16, 32), 2 * d.cpus),
    "too_many_workers": too_many_workers,
    "hang": lambda d: fast(hang(d)),
    "gpus_unused": lambda d: fast(unused_gpus(d)),
    "container": lambda d: Scenario("j", d.trainer(d.cpus // 2, 0.42, 0.66), ("too_few_workers",), WORKERS,
                                    [means.Container()]),
    "cpu_bound": cpu_bound,
    "main_thread": lambda d: fast(main_thread(d)),
}
