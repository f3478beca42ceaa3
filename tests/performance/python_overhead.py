#!/usr/bin/env python3
"""What Python costs on top of the C++ loader: CPU time of the consumer's thread a batch, and images a CPU second beside `stoker bench load`.

usage: python_overhead.py STOKER SOURCE [--rounds N] [--seconds S] [--batch-size N]      (PYTHONPATH has the package)

The loop takes images and labels as NumPy arrays and does nothing with them. Both loaders have one decode thread and run in turns.
"""

import argparse
import json
import statistics
import subprocess
import time

import numpy as np

import stoker


def python_round(args: argparse.Namespace) -> tuple[float, float]:
    """(images a CPU second of the process, the consumer's µs a batch)."""
    loader = stoker.Loader(args.source, batch_size=args.batch_size, threads=1)
    images = batches = 0
    begin = time.perf_counter()
    cpu, own = time.process_time(), time.thread_time()
    while time.perf_counter() - begin < args.seconds:
        for batch in loader:
            pixels, labels = batch
            images += len(np.asarray(labels))
            np.asarray(pixels)
            batches += 1
            if time.perf_counter() - begin >= args.seconds:
                break
    return images / (time.process_time() - cpu), (time.thread_time() - own) / batches * 1e6


def native_round(args: argparse.Namespace) -> float:
    done = subprocess.run(
        [args.stoker, "bench", "load", args.source, "--threads", "1", "--batch-size", str(args.batch_size), "--rounds", "1", "--seconds",
         str(args.seconds), "--json", "--quiet"], check=True, capture_output=True, text=True)
    row = json.loads(done.stdout)["rows"][0]
    return row["images_per_cpu_s"]["median"] if isinstance(row["images_per_cpu_s"], dict) else row["images_per_cpu_s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stoker")
    parser.add_argument("source")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()
    python_round(argparse.Namespace(**{**vars(args), "seconds": 1}))
    ratios, costs = [], []
    for number in range(args.rounds):
        native = native_round(args)
        rate, cost = python_round(args)
        ratios.append(rate / native)
        costs.append(cost)
        print(f"round {number + 1}: C++ {native:.0f} images a CPU second, Python {rate:.0f}; {cost:.0f} µs of the consumer's thread a batch", flush=True)
    print(f"Python over C++: {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}); "
          f"a batch: {statistics.median(costs):.0f} µs ({min(costs):.0f} to {max(costs):.0f})")


if __name__ == "__main__":
    main()
