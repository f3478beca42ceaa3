"""What a training loop really did, from the logs of trainer.py: no estimate, only clipped intervals."""

from dataclasses import dataclass


@dataclass
class Truth:
    """Shares are of the window's wall time."""

    images_per_s: float
    steps: int
    waiting: float  # in the loader's next
    stall: float  # the GPU is idle, and not because the loop itself computes
    main: float  # at work in the main thread
    busy: float  # the GPU runs


def lines_of(path):
    """Whole lines only; none where the file is not there yet."""
    try:
        with open(path, encoding="ascii") as file:
            return [line.split() for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


def phases(path):
    """Each phase of the loop as (name, begin, end), the last one without an end, and the steps as (end, images)."""
    found, steps, name, begin = [], [], None, 0.0
    for words in lines_of(path):
        if words[0] == "pid":
            continue
        time = float(words[1])
        if name:
            found.append((name, begin, time))
        name, begin = words[0], time
        if name == "done":
            steps.append((time, int(words[2])))
    if name:
        found.append((name, begin, float("inf")))
    return found, steps


def busy_spans(path, index):
    """When kernels ran on one GPU; the last span without an end where it has none yet."""
    spans, begin = [], None
    for words in lines_of(path):
        if words[0] in ("busy", "idle") and int(words[2]) == index:
            if words[0] == "busy" and begin is None:
                begin = float(words[1])
            elif words[0] == "idle" and begin is not None:
                spans.append((begin, float(words[1])))
                begin = None
    if begin is not None:
        spans.append((begin, float("inf")))
    return spans


def clipped(spans, start, end):
    return [(max(begin, start), min(stop, end)) for begin, stop in spans if begin < end and stop > start]


def length(spans):
    return sum(stop - begin for begin, stop in spans)


def overlap(first, second):
    """The time that two ordered lists of disjoint spans have in common."""
    common, j = 0.0, 0
    for begin, stop in first:
        while j < len(second) and second[j][1] <= begin:
            j += 1
        k = j
        while k < len(second) and second[k][0] < stop:
            common += min(stop, second[k][1]) - max(begin, second[k][0])
            k += 1
    return common


def steps_done(truth_path):
    return phases(truth_path)[1]


def truth_between(truth_path, nvml_path, start, end):
    """The truth of a window. Units: seconds of CLOCK_MONOTONIC."""
    all_phases, steps = phases(truth_path)
    spans = {name: clipped([(b, e) for kind, b, e in all_phases if kind == name], start, end)
             for name in ("wait", "main")}
    busy = clipped(busy_spans(nvml_path, 0), start, end)
    inside = [step for step in steps if start <= step[0] <= end]
    rate = 0.0
    if len(inside) > 1:  # from step to step, so that the window's edges cut none
        rate = sum(images for _, images in inside[1:]) / (inside[-1][0] - inside[0][0])
    window = end - start
    stall = window - length(busy) - length(spans["main"]) + overlap(spans["main"], busy)
    return Truth(rate, len(inside), length(spans["wait"]) / window, stall / window, length(spans["main"]) / window,
                 length(busy) / window)
