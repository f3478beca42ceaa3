#!/usr/bin/env python3
"""Images a second of the trainer's networks against Python PyTorch's with torchvision's same network.

usage: model_bench.py MODEL_BENCH [--threads N] [--turns N] [--seconds S] [--only LAYERS:f32|bf16]

Model only: one batch, in memory. The two run in turns, never at once; the first turn of each warms up and does not
count. CPU time says more than wall time where other work has the CPUs too. Both sleep between tasks (OMP_WAIT_POLICY=PASSIVE) and keep freed memory in the heap, as the product does.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import time

CASES = [(18, 64, 64, "f32"), (18, 64, 64, "bf16"), (50, 224, 16, "f32"), (50, 224, 16, "bf16")]
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3


def serve_python(layers: int, side: int, size: int, kind: str, threads: int) -> None:
    """The same questions and answers as model_bench's."""
    libc = ctypes.CDLL(None)
    libc.mallopt(M_MMAP_THRESHOLD, 32 << 20)
    libc.mallopt(M_TRIM_THRESHOLD, 1 << 30)
    import torch

    try:
        import torchvision
    except RuntimeError:  # its compiled operators, which no ResNet needs
        library = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            library.define(operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        import torchvision
    torch.set_num_threads(threads)
    model = getattr(torchvision.models, f"resnet{layers}")().to(memory_format=torch.channels_last).train()
    groups = [{"params": [p for p in model.parameters() if (p.dim() > 1) == decays],
               "weight_decay": 1e-4 if decays else 0.0} for decays in (True, False)]
    optimizer = torch.optim.SGD(groups, lr=0.01, momentum=0.9, foreach=True)
    images = torch.rand(size, 3, side, side).mul(2).sub(1).to(memory_format=torch.channels_last)
    labels = torch.arange(size)
    for line in sys.stdin:
        start, cpu_start, steps = time.perf_counter(), time.process_time(), 0
        while steps == 0 or time.perf_counter() - start < float(line):
            with torch.autocast("cpu", torch.bfloat16, enabled=kind == "bf16"):
                logits = model(images)
            torch.nn.functional.cross_entropy(logits.float(), labels).backward()
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
        done, cpu_seconds = steps * size, time.process_time() - cpu_start
        print(f"{done / (time.perf_counter() - start):.3f} {done / cpu_seconds:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--only")
    options = parser.parse_args()
    environment = dict(os.environ, OMP_WAIT_POLICY="PASSIVE")
    for layers, side, size, kind in CASES:
        if options.only and options.only != f"{layers}:{kind}":
            continue
        fields = [str(field) for field in (layers, side, size, kind, options.threads)]
        both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
                for command in ([options.program, *fields], [sys.executable, __file__, "--serve", *fields])]

        def ask(process, line):
            print(line, file=process.stdin, flush=True)
            return process.stdout.readline()

        turns = [[tuple(map(float, ask(process, options.seconds).split())) for process in both]
                 for _ in range(options.turns + 1)][1:]
        print(f"resnet{layers} {side}x{side} batch {size} {kind}")
        for place, unit in enumerate(("images/s", "images/CPU-s")):
            mine, theirs = (statistics.median(turn[which][place] for turn in turns) for which in (0, 1))
            ratios = [turn[0][place] / turn[1][place] for turn in turns]
            print(f"  {mine:.2f} and {theirs:.2f} {unit}, ratio {statistics.median(ratios):.2f} "
                  f"({', '.join(f'{ratio:.2f}' for ratio in ratios)})")
        print("  state:", ask(both[0], "state").strip(), flush=True)
        for process in both:
            process.stdin.close()
            process.wait()


if len(sys.argv) == 7 and sys.argv[1] == "--serve":
    serve_python(*map(int, sys.argv[2:5]), sys.argv[5], int(sys.argv[6]))
else:
    main()
