#!/usr/bin/env python3
"""speed_table.py STOKER SAMPLE LARGE FOLDER: the decoder's speed table, measured; pictures of it in FOLDER.

SAMPLE and LARGE are sources for `stoker bench decode`. Prints each measurement, then the promises beside what came out. A
ratio is the median of the runs, its range behind it; promises are for photos like ImageNet's, on an idle CPU.
"""

import dataclasses
import json
import subprocess
import sys


@dataclasses.dataclass
class Promise:
    text: str
    of: str  # which measurement
    route: str
    must: float
    aim: float | None = None


PROMISES = [
    Promise("seek index, exact", "sample", "stoker_rrc_seek", 3.5, 4.2),
    Promise("seek index, fast", "sample", "stoker_rrc_seek_fast", 4.0, 5.0),
    Promise("plain files, exact", "sample", "stoker_rrc", 2.0, 2.3),
    Promise("evaluation, plain files, exact", "sample", "stoker_eval", 1.6, 2.0),
    Promise("4:2:0, seek index, exact", "420", "stoker_rrc_seek", 2.8, 3.5),
    Promise("4:2:0, seek index, fast", "420", "stoker_rrc_seek_fast", 3.5, 4.5),
    Promise("large photos, seek index, fast", "large", "stoker_rrc_seek_fast", 6, 12),
    Promise("making the seek index", "sample", "stoker_index", 1.5),
]
# Percent, at most: what it costs beside the route that does not do it.
LEARNING = [
    Promise("learning as far as crops reach, cost in %", "sample", "stoker_rrc_learn", 3),
    Promise("learning whole files, cost in %", "sample", "stoker_rrc_learn_full", 20),
]
# Percent of the bytes, at most.
SIZES = [Promise("seek points, % of the bytes", "sample", "", 2.2), Promise("4:2:0, the same", "420", "", 2.8)]


def measure(stoker: str, source: str, picture: str, options: list[str]) -> dict:
    command = [stoker, "bench", "decode", source, "--json", "--html", picture, *options]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def told(spread: dict) -> str:
    return f"{spread['median']:.2f} ({spread['min']:.2f}-{spread['max']:.2f})"


def show(title: str, report: dict) -> None:
    print(f"\n{title}: {report['images']} images, {report['mean_bytes'] / 1000:.0f} kB and {report['mean_megapixels']:.2f} "
          f"Mpixel on average, {report['runs']} runs")
    for row in report["rows"]:
        error = row["error"]
        exact = "same pixels" if row["exact"] else "another shape"
        if error:
            exact = f"mean error {error['mean']:.2f}, max {error['max']}, {error['psnr_db']:.1f} dB, worst {error['worst_psnr_db']:.1f} dB"
        print(f"  {row['name']:22} {row['images_per_s']['median']:7.0f}/s  {told(row['ratio_to_turbo']):19} of {row['baseline']:18} {exact}")


def row_of(report: dict, name: str) -> dict:
    return next(row for row in report["rows"] if row["name"] == name)


def verdict(met: bool, aimed: bool) -> str:
    return "aim met" if aimed else "met" if met else "MISSED"


def line(text: str, must: str, aim: str, value: str, judged: str) -> None:
    print(f"{text:44} {must:>6} {aim:>5}   {value:20} {judged}")


def main() -> int:
    stoker, sample, large, folder = sys.argv[1:]
    chosen = ",".join(promise.route for promise in PROMISES if promise.of == "420")
    measured = {
        "sample": measure(stoker, sample, f"{folder}/decode.html", []),
        "420": measure(stoker, sample, f"{folder}/decode-420.html", ["--as", "420", "--routes", f"stoker_index,stoker_rrc,{chosen}"]),
        "large": measure(stoker, large, f"{folder}/decode-large.html", []),
    }
    show("The sample", measured["sample"])
    show("The sample made 4:2:0, quality 90", measured["420"])
    show("Large photos", measured["large"])
    print()
    line("times libjpeg-turbo doing the same", "must", "aim", "measured (min-max)", "")
    for promise in PROMISES:
        ratio = row_of(measured[promise.of], promise.route)["ratio_to_turbo"]
        aim = f"{promise.aim:g}" if promise.aim else ""
        aimed = promise.aim is not None and ratio["median"] >= promise.aim
        line(promise.text, f"{promise.must:g}", aim, told(ratio), verdict(ratio["median"] >= promise.must, aimed))
    for promise in LEARNING:
        report = measured[promise.of]
        plain, learning = (row_of(report, name)["ratio_to_turbo"]["median"] for name in ("stoker_rrc", promise.route))
        cost = 100 * (plain / learning - 1)
        line(promise.text, f"< {promise.must:g}", "", f"{cost:.1f}", verdict(cost < promise.must, False))
    for promise in SIZES:
        report = measured[promise.of]
        share = 100 * report["mean_seek_bytes"] / report["mean_bytes"]
        line(promise.text, f"< {promise.must:g}", "", f"{share:.2f}", verdict(share <= promise.must, False))
    machine = measured["sample"]["machine"]
    print(f"\n{machine['processor'] or 'unknown processor'}, {machine['cpus']} CPUs, {machine['instructions']}; libjpeg-turbo "
          f"{machine['turbo_version']}, {machine['compiler']}; {machine['date']}")
    print(f"pictures: {folder}/decode*.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
