#!/usr/bin/env python3
"""CPU seconds of `stoker pack --resize-short 256 --quality 90` against the calls of MXNet's im2rec, on the same photos.

usage: im2rec_bench.py STOKER LIST ROOT [--rounds N] [--threads N]

LIST is an .lst, its paths below ROOT. im2rec is the one of MXNet's wheel: its `image_encode` (cv2.imread, cv2.resize, mxnet.recordio.pack_img)
and its writer, called one image after another in one process, without its queues; imports and start-up are not counted, and OpenCV starts no
threads. Of Stoker the whole program counts, start-up and making the files durable included, with a seek index and without. They run in
turns, never at once, after one turn that does not count. Prints images a CPU second (user and system), and the ratios of each turn.

Needs mxnet==1.9.1 (pip install --no-deps), opencv-python-headless and numpy<2.3, whose arrays still know `tostring`.
"""

import argparse
import json
import os
import pathlib
import queue
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
SHORT, QUALITY = 256, 90
# im2rec's JPEGs are all 4:2:0; Stoker's keep the chroma of their source, unless it is told otherwise.
ROUTES = {
    "as it is": [],
    "--no-index": ["--no-index"],
    "--no-index --subsampling 420": ["--no-index", "--subsampling", "420"],
}


def run_im2rec(list_file: str, root: str, prefix: str) -> None:
    """In a process of its own: packs the list as im2rec does, and prints the seconds."""
    import warnings

    from mxnet_recordio import import_recordio

    warnings.simplefilter("ignore", DeprecationWarning)
    recordio = import_recordio()
    import cv2
    from mxnet.tools import im2rec

    cv2.setNumThreads(0)
    args = argparse.Namespace(
        root=root, pack_label=False, pass_through=False, color=1, center_crop=False, resize=SHORT, quality=QUALITY, encoding=".jpg")
    items, done = list(im2rec.read_list(list_file)), queue.SimpleQueue()
    cpu, wall = time.process_time(), time.perf_counter()
    writer, images = recordio.MXIndexedRecordIO(prefix + ".idx", prefix + ".rec", "w"), 0
    for number, item in enumerate(items):
        im2rec.image_encode(args, number, item, done)
        _, record, item = done.get()
        if record is not None:
            writer.write_idx(item[0], record)
            images += 1
    writer.close()
    print(json.dumps({"images": images, "cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}))


def of_child(words: list[str]) -> tuple[dict, float, float]:
    """What a program prints as JSON, its CPU and wall seconds."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(printed), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def turn(args, folder: str) -> dict[str, dict]:
    figures = {}
    told, _, _ = of_child([sys.executable, "-B", __file__, "--im2rec", args.list, args.root, os.path.join(folder, "theirs")])
    figures["im2rec"] = {"images": told["images"], "cpu_s": told["cpu_s"], "wall_s": told["wall_s"]}
    for name, more in ROUTES.items():
        words = [args.stoker, "pack", args.list, os.path.join(folder, "ours.rec"), "--root", args.root, "--resize-short", str(SHORT),
                 "--quality", str(QUALITY), "--threads", str(args.threads), "--max-bad-share", "1", "--json", "--quiet", *more]
        told, cpu_s, wall_s = of_child(words)
        figures[name] = {"images": told["packed"], "cpu_s": cpu_s, "wall_s": wall_s}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("stoker", "list", "root"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="of Stoker")
    args = parser.parse_args()
    rates: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.rounds + 1):
            figures = turn(args, folder)
            if number == 0:
                continue
            for name, figure in figures.items():
                rates.setdefault(name, []).append(figure["images"] / figure["cpu_s"])
                print(f"turn {number}: {name:28} {figure['images']} images, {figure['images'] / figure['cpu_s']:7.1f} a CPU second, "
                      f"{figure['images'] / figure['wall_s']:7.1f} a second", flush=True)
    for name in list(rates)[1:]:
        ratios = [ours / theirs for ours, theirs in zip(rates[name], rates["im2rec"])]
        print(f"stoker pack, {name}: {statistics.median(ratios):.2f} of im2rec's images a CPU second ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--im2rec"]:
        run_im2rec(*sys.argv[2:])
    else:
        main()
