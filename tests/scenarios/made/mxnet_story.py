#!/usr/bin/env python3
"""Writes a trace of an MXNet training whose GPUs swing between 100 % and 0 %, made from stated numbers alone.

The story: 16 GPUs that could take 700 images/s get 400, while 80 % of 64 CPUs are idle, because four threads
of one process decode. Other numbers tell another story: with every CPU busy it is no matter of threads.

    mxnet_story.py > story.trace && stoker doctor --trace story.trace
"""

import argparse
import json
import sys

SAMPLE_S = 1 / 6  # the driver's period
LOOKS = 20  # of a thread in a second
FILE_BYTES = 110_000  # an image of the data set


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=16)
    parser.add_argument("--cpus", type=int, default=64)
    parser.add_argument("--cpu-idle", type=float, default=0.8, help="share of all CPUs, 0..1 [0.8]")
    parser.add_argument("--decode-threads", type=int, default=4, help="--data-nthreads of the training [4]")
    parser.add_argument("--images-per-s", type=float, default=400)
    parser.add_argument("--gpu-images-per-s", type=float, default=700, help="what the GPUs could take [700]")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--seconds", type=int, default=40)
    return parser.parse_args()


def busy_percent(options: argparse.Namespace, begin: float, end: float) -> float:
    """The share of begin..end in which kernels run: each step computes first, then waits for its batch."""
    period = options.batch_size / options.images_per_s
    busy = period * min(1.0, options.images_per_s / options.gpu_images_per_s)

    def until(time: float) -> float:
        steps, rest = divmod(time, period)
        return steps * busy + min(rest, busy)

    return 100 * (until(end) - until(begin)) / (end - begin)


def gpu(options: argparse.Namespace, index: int, time: float, last: float) -> dict:
    samples = []
    number = int(last / SAMPLE_S + 1e-6) + 1
    while number * SAMPLE_S <= time + 1e-9:
        end = number * SAMPLE_S
        samples.append({"t": end, "percent": busy_percent(options, end - SAMPLE_S, end)})
        number += 1
    return {
        "index": index,
        "vendor": "nvidia",
        "name": "Tesla K80",
        "uuid": f"GPU-{index}",
        "util_percent": samples[-1]["percent"] if samples else 0.0,
        "samples": samples,
        "sample_interval_s": SAMPLE_S,
        "memory_used_bytes": 9 << 30,
        "memory_total_bytes": 12 << 30,
        "processes": [{"pid": 4711, "here": True, "kind": "compute", "name": "python"}],
    }


def tally(share: float, state: str, **more: object) -> dict:
    return {"state": state, "count": round(LOOKS * share), **more}


def process(options: argparse.Namespace, age: float) -> dict:
    used = (1 - options.cpu_idle) * options.cpus
    decoding = min(float(options.decode_threads), used)  # CPUs
    ready = decoding / options.decode_threads
    main = min(0.3, max(0.0, used - decoding))
    engine = max(0.0, used - decoding - main)  # the engine's threads launch kernels and spin; they bear no names
    unnamed = {
        "name": "python",
        "count": options.decode_threads + 4 * options.gpus,
        "cpu_s": (decoding + engine) * age,
        "run_delay_s": 0.01 * age,
        "tallies": [tally(ready, "R"), tally(1 - ready, "S", call="futex")],
    }
    return {
        "pid": 4711,
        "parent": 1,
        "start_ticks": 100,
        "name": "python",
        "command": f"python train_imagenet.py --network resnet --num-layers 50 --gpus 0,1,2,3 --data-nthreads {options.decode_threads}",
        "user_s": used * age,
        "system_s": 0.0,
        "threads": [
            {
                "name": "python",
                "main": True,
                "count": 1,
                "cpu_s": main * age,
                "run_delay_s": 0.0,
                "tallies": [tally(main, "R"), tally(1 - main, "S", call="futex")],
            },
            unnamed,
        ],
        "io": {
            "read_chars": round(options.images_per_s * FILE_BYTES * age),
            "read_calls": round(options.images_per_s * age),
            "read_bytes": 0,
            "written_chars": 0,
            "written_bytes": 0,
        },
        "affinity_cpus": options.cpus,
    }


def snapshot(options: argparse.Namespace, second: int) -> dict:
    used = (1 - options.cpu_idle) * options.cpus
    age = 600.0 + second
    return {
        "t": float(second),
        "gpus": [gpu(options, index, float(second), float(second - 1)) for index in range(options.gpus)],
        "host": {
            "uptime_s": 7200.0 + second,
            "online_cpus": options.cpus,
            "cpu": {"user_s": used * age, "system_s": 0.0, "idle_s": (options.cpus - used) * age, "iowait_s": 0.0, "steal_s": 0.0},
            "watcher_cpu_s": 0.0,
        },
        "processes": [process(options, age)],
    }


def main() -> int:
    options = arguments()
    lines: list[dict] = [{"schema": "stoker.trace/1", "pid": 4711}]
    lines += [{"snapshot": snapshot(options, second)} for second in range(options.seconds + 1)]
    lines.append({"probe": {"mean_file_bytes": FILE_BYTES}})
    for line in lines:
        sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
