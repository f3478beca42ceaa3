"""Markdown of what was measured."""

import os
import statistics
from pathlib import Path

NONE = "–"  # not measured; never 0


def machine() -> str:
    """ "2 CPUs, Intel(R) Xeon(R) Processor"."""
    names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{len(os.sched_getaffinity(0))} CPUs, {names[0] if names else 'unknown processor'}"


def spread(values: list[float], digits: int = 2) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})" if values else NONE


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(["", *("| " + " | ".join(cells) + " |" for cells in lines)])


def agreement(report: dict, names: list[str], reference: str) -> str:
    rows = []
    for name in names:
        found, failure = report["agreement"].get(name), report["failures"].get(name)
        figures = [f"{found['mean']:.2f}", f"{found['p99']:g}", str(found["most"])] if found else [NONE] * 3
        verdict = "" if not found else "yes" if found["holds"] else "**no**"
        if found:
            verdict += f" ({found['bounds'][0]:g}, {found['bounds'][1]:g})"
        if failure:
            verdict = "; ".join(filter(None, [verdict, "not measured: " + failure.replace("|", "/")]))
        rows.append([name, report["versions"].get(name, ""), *figures, verdict])
    return table(["who", "versions", f"levels from {reference}: mean", "99 %", "most", "within bounds (mean, 99 %)"], rows)


def marked(report: dict, name: str) -> str:
    """The name, with what the figure behind it has to be read with."""
    notes = [report.get("excuses", {}).get(name, "")]
    found = report["agreement"].get(name)
    if found is None or not found["holds"]:
        notes.append("pixels out of bounds" if found else "pixels not compared")
    notes = [note for note in notes if note]
    return f"{name} ({'; '.join(notes)})" if notes else name


def loading(report: dict, task: str, of_workers: dict[int, dict[str, list[dict]]]) -> str:
    """A line a peer, the fastest first."""
    counts = list(of_workers)
    measured = {name: turns for name, turns in of_workers[counts[0]].items() if turns}
    rows = []
    for name in sorted(measured, key=lambda n: -statistics.median(t["ratio"] for t in measured[n])):
        turns = [of_workers[count].get(name, []) for count in counts]
        row = [marked(report, name), *(spread([t["ratio"] for t in some]) for some in turns)]
        row += [spread([t["images_per_s"] for t in some], 0) for some in turns]
        if len(counts) > 1:
            walls = [[t["images_per_s"] for t in some] for some in (turns[0], turns[-1])]
            row.append(f"{statistics.median(walls[1]) / statistics.median(walls[0]):.2f}" if walls[1] else NONE)
        rows.append(row)
    head = [task, *(f"to turbo, {n}" for n in counts), *(f"images/s, {n}" for n in counts)]
    return table(head + ([f"{counts[-1]} over {counts[0]}"] if len(counts) > 1 else []), rows)


def bars(wanted, peers, report: dict) -> str:
    """Round by round, the better of Stoker's over the best of those that the bar admits and whose pixels are within bounds."""
    rows = []
    holds = {name for name, found in report["agreement"].items() if found["holds"]}
    for bar in wanted:
        for task, of_workers in report["results"].items():
            for workers, turns in of_workers.items():
                if not task.startswith(bar.task):
                    continue
                medians = {name: statistics.median(t["ratio"] for t in some) for name, some in turns.items() if some and name in holds}
                own = [name for name in bar.own if name in medians]
                rivals = [peer.name for peer in peers if bar.admits(peer) and peer.name in medians]
                if not own or not rivals:
                    continue
                ours, best = (max(names, key=lambda n: medians[n]) for names in (own, rivals))
                ratios = [a["ratio"] / b["ratio"] for a, b in zip(turns[ours], turns[best])]
                met = "yes" if statistics.median(ratios) >= bar.times else "**no**"
                rows.append([f"{task}, {workers}", ours, f"{best} (the best {bar.kind})", f"{bar.times:g}", spread(ratios), met])
    return table(["task, workers", "Stoker", "over", "bar", "ratio", "met"], rows)


def decoding(report: dict, turns: dict[str, list[dict]]) -> str:
    rows = []
    for name in sorted(filter(turns.get, turns), key=lambda n: -statistics.median(t["ratio"] for t in turns[n])):
        rows.append([marked(report, name), spread([t["ratio"] for t in turns[name]]), spread([t["per_cpu_s"] for t in turns[name]], 0)])
    return table(["decoder", "to turbo", "images per CPU second"], rows)


def footer(report: dict, results: dict) -> str:
    units = [turn["turbo"] for of_workers in results.values() for turns in of_workers.values() for some in turns.values() for turn in some]
    return f"\nturbo: {spread(units, 0)} images per CPU second; {report['machine']}"
