"""Pictures of a report of run.py. Runs where matplotlib is: pictures.py FOLDER, the report as JSON on standard input."""

import json
import statistics
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "stoker", "font.family": "sans-serif", "font.size": 9})

from matplotlib import pyplot

OWN, PEER, EXCUSED = "#b06a1f", "#47618f", "#a9b6cf"
TITLES = {
    "train-u8": "training, random-resized-crop 224, uint8", "train-f32": "training, random-resized-crop 224, float32 normalised",
    "eval-u8": "evaluation, short side 256, centre 224, uint8", "decode": "whole pictures, path to RGB",
}

FILES = {"train-u8": "peers-train-u8", "train-f32": "peers-train-f32", "eval-u8": "peers-eval-u8", "decode": "decoders"}


def color(name: str, report: dict) -> str:
    if name.lower().startswith("stoker"):
        return OWN
    agreement = report["agreement"].get(name)
    return PEER if agreement and agreement["holds"] and not report.get("excuses", {}).get(name) else EXCUSED


def draw(task: str, turns: dict[str, list[dict]], report: dict, path: Path) -> None:
    """A bar a name, the fastest on top; lines from the least to the most of its turns."""
    ratios = {name: [turn["ratio"] for turn in some] for name, some in turns.items() if some}
    names = sorted(ratios, key=lambda name: statistics.median(ratios[name]))
    medians = [statistics.median(ratios[name]) for name in names]
    errors = [[m - min(ratios[n]) for m, n in zip(medians, names)], [max(ratios[n]) - m for m, n in zip(medians, names)]]
    figure, axes = pyplot.subplots(figsize=(7.6, 0.6 + 0.24 * len(names)))
    axes.barh(names, medians, color=[color(name, report) for name in names], xerr=errors, error_kw={"elinewidth": 1, "ecolor": "#888"})
    for place, (name, value) in enumerate(zip(names, medians)):
        axes.text(max(ratios[name]) + 0.01 * max(medians), place, f"{value:.2f}", va="center")
    axes.set_title(TITLES.get(task, task), fontsize=9, loc="left")
    notes = "\nlight: not antialiased, of files encoded anew, or pixels out of bounds" if EXCUSED in {color(n, report) for n in names} else ""
    axes.set_xlabel(f"images per CPU second, one worker; libjpeg-turbo's full decode is 1; more is better{notes}", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.08, y=0.01)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def main() -> None:
    folder, report = Path(sys.argv[1]), json.load(sys.stdin)
    folder.mkdir(parents=True, exist_ok=True)
    for task, of_workers in report["results"].items():
        path = folder / f"{FILES.get(task, task)}.svg"
        draw(task, next(iter(of_workers.values())), report, path)
        print(f"drew {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
