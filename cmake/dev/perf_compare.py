#!/usr/bin/env python3
"""perf_compare.py WORK SOURCE: WORK/change against WORK/base, by time in turns and by instructions.

Time: `stoker bench decode` of both, one after the other, ROUNDS times; what is compared is each route's ratio to libjpeg-turbo
within its own run, so that a slow minute hardly shows. Instructions: decode_count under callgrind, the routes that both know.
valgrind 3.19 knows no AVX-512, so what is counted are the AVX2 loops.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

COUNTED_ROUTES = ["stoker_full", "stoker_index", "stoker_rrc", "stoker_rrc_seek", "stoker_rrc_seek_fast", "stoker_eval"]
SIDES = ("base", "change")


def ratios(work: pathlib.Path, side: str, source: str) -> dict[str, float]:
    command = [work / side / "stoker", "bench", "decode", source, "--runs", "1", "--limit", os.environ.get("LIMIT", "200"), "--json", "--quiet"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {row["name"]: row["ratio_to_turbo"]["median"] for row in report["rows"] if row["name"] != row["baseline"]}


def compare_time(work: pathlib.Path, source: str) -> None:
    rounds = int(os.environ.get("ROUNDS", "5"))
    measured: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for turn in range(rounds):
        for side in SIDES if turn % 2 == 0 else reversed(SIDES):
            measured[side].append(ratios(work, side, source))
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    print(f"\n{'times libjpeg-turbo':22} {'base':>6} {'change':>7}   change / base (min-max)")
    for route in measured["change"][0]:
        after = [run[route] for run in measured["change"]]
        if route not in measured["base"][0]:
            print(f"{route:22} {'':>6} {statistics.median(after):7.2f}   new")
            continue
        before = [run[route] for run in measured["base"]]
        quotients = [new / old for new, old in zip(after, before)]
        print(f"{route:22} {statistics.median(before):6.2f} {statistics.median(after):7.2f}   "
              f"{statistics.median(quotients):.3f} ({min(quotients):.3f}-{max(quotients):.3f})")


def instructions(work: pathlib.Path, side: str, source: str, route: str) -> int | None:
    program = work / side / "tests/performance/decode_count"
    if not program.exists():
        return None
    profile = work / f"callgrind.{side}.{route}.out"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=stoker_counted", f"--callgrind-out-file={profile}", program, source, route,
               os.environ.get("COUNTED", "8")]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    return int(collected[1]) if result.returncode == 0 and collected else None


def compare_instructions(work: pathlib.Path, source: str) -> None:
    if not shutil.which("valgrind"):
        print("\nno valgrind here: instructions are not counted")
        return
    print(f"\n{'million instructions':22} {'base':>9} {'change':>9}   change / base")
    for route in COUNTED_ROUTES:
        before, after = (instructions(work, side, source, route) for side in SIDES)
        cells = [f"{count / 1e6:9.2f}" if count is not None else f"{'-':>9}" for count in (before, after)]
        print(f"{route:22} {cells[0]} {cells[1]}   {f'{after / before:.4f}' if before and after else 'not known'}")
    print(f"profiles: {work}/callgrind.*.out, for callgrind_annotate")


def main() -> int:
    work, source = pathlib.Path(sys.argv[1]), sys.argv[2]
    compare_time(work, source)
    compare_instructions(work, source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
