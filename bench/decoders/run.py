#!/usr/bin/env python3
"""Decoders of whole JPEGs, in turns: from a path to RGB, one thread each.

usage: run.py DATA [--decoders A,B] [--epochs 5] [--seconds 1] [--stoker PACKAGE] [--json FILE] [--plot FOLDER]

DATA is a folder of JPEGs. Each decoder runs in a process and an environment of its own (bench/environments.py makes them), in the setting
that decoders.py tells. First the pixels of each are held against those of simplejpeg, which is libjpeg-turbo as its manual has it. Then
epochs are run in turns, each between two measurements of the unit, *turbo*: the same by simplejpeg from memory. Printed are images per CPU
second, user and system, of all of a decoder's processes, and their ratio to turbo's: medians and ranges.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import environments
import tables
from agreement import compare
from children import TROUBLES, TURBO, Child, Failed, take_turns
from environments import python_of, versions

# Bounds of the mean and of the 99th percentile, levels of 255. SAME: the accurate inverse transform and smooth upsampling; OWN: another
# transform, upsampling or conversion of colours, whose edges of colour differ.
SAME, OWN = (0.05, 1), (2, 16)


@dataclass(frozen=True)
class Decoder:
    name: str
    environment: str
    packages: tuple[str, ...]
    bounds: tuple[float, float] = SAME
    function: str = ""  # in decoders.py, where it has another name


DECODERS = (
    Decoder("stoker", "stoker", ()),
    Decoder("kornia-rs", "decoders", ("kornia-rs",), SAME, "kornia_rs"),
    Decoder("simplejpeg", "decoders", ("simplejpeg",)),
    Decoder("imagecodecs", "decoders", ("imagecodecs",)),
    Decoder("jpeg4py", "decoders", ("jpeg4py",)),
    Decoder("torchvision", "torch", ("torchvision", "torch")),
    Decoder("tensorflow", "tensorflow", ("tensorflow-cpu",), OWN),
    Decoder("opencv", "decoders", ("opencv-python-headless",)),
    Decoder("dali", "dali", ("nvidia-dali-cuda130",)),
    Decoder("pillow", "decoders", ("pillow",)),
    Decoder("pillow-simd", "pillow_simd", ("pillow-simd",), SAME, "pillow"),
    Decoder("imageio", "decoders", ("imageio", "pillow")),
    Decoder("skimage", "decoders", ("scikit-image", "imageio")),
    Decoder("mxnet", "mxnet", ("mxnet",)),
    Decoder("pyvips", "decoders", ("pyvips",)),
    Decoder("spdl", "spdl", ("spdl-io",), OWN),
)


class Bench:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.folder = str(arguments.data.resolve())
        self.report: dict = {"schema": "stoker.bench.decoders/1", "machine": tables.machine(), "versions": {}, "failures": {}, "agreement": {}}

    def failed(self, name: str, error: Exception) -> None:
        self.report["failures"][name] = str(error)
        print(f"{name}: not measured: {error}", file=sys.stderr, flush=True)

    def python(self, environment: str) -> Path:
        return python_of(environment, self.arguments.environments.resolve())

    def start(self, decoder: Decoder) -> Child:
        python = self.python(decoder.environment)
        if decoder.packages:
            self.report["versions"][decoder.name] = versions(python, decoder.packages)
        paths = {"PYTHONPATH": str(self.arguments.stoker.resolve())} if decoder.environment == "stoker" else {}
        arguments = {"folder": self.folder, "name": decoder.function or decoder.name}
        return Child(python, HERE / "decoders.py", arguments, paths)

    def agree(self, decoder: Decoder, child: Child, wanted: Path, shapes: list[list[int]]) -> None:
        path = wanted.with_name("pixels.npy")
        if (theirs := child.save(len(shapes), path)) != shapes:
            place = next(i for i, pair in enumerate(zip(theirs, shapes)) if pair[0] != pair[1])
            raise Failed(f"photo {place} is {theirs[place]}; wanted: {shapes[place]}")
        found = compare(self.python("reference"), path, wanted, decoder.bounds)
        self.report["agreement"][decoder.name] = {**vars(found), "holds": found.holds}
        print(f"{decoder.name}: {found}", file=sys.stderr, flush=True)

    def run(self) -> dict[str, list[dict]]:
        arguments = self.arguments
        work = arguments.work.resolve()
        work.mkdir(parents=True, exist_ok=True)
        turbo = Child(self.python("stoker"), TURBO, {"folder": self.folder})
        reference = Child(self.python("stoker"), HERE / "decoders.py", {"folder": self.folder, "name": "simplejpeg"})
        shapes = reference.save(arguments.compared, work / "reference.npy")
        reference.end()
        children: dict[str, Child] = {}
        for decoder in arguments.decoders:
            try:
                children[decoder.name] = self.start(decoder)
                self.agree(decoder, children[decoder.name], work / "reference.npy", shapes)
                children[decoder.name].turn(0)  # warms up
            except TROUBLES as error:
                self.failed(decoder.name, error)
                if decoder.name in children:
                    children.pop(decoder.name).end()
        try:
            return take_turns(children, turbo, arguments.epochs, arguments.seconds, self.failed)
        finally:
            for child in (*children.values(), turbo):
                child.end()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--decoders", default="", help="names, with commas; default: all")
    parser.add_argument("--epochs", type=int, default=5, help="turns of each")
    parser.add_argument("--seconds", type=float, default=1, help="a turn is whole epochs until so many have gone")
    parser.add_argument("--compared", type=int, default=100, help="photos whose pixels are compared")
    environments.add_options(parser, "bench-decoders", "for the pixels that are compared")
    arguments = parser.parse_args()
    names = arguments.decoders.split(",") if arguments.decoders else [decoder.name for decoder in DECODERS]
    if unknown := set(names) - {decoder.name for decoder in DECODERS}:
        parser.error(f"--decoders: {', '.join(sorted(unknown))}; allowed: {', '.join(decoder.name for decoder in DECODERS)}")
    arguments.decoders = tuple(decoder for decoder in DECODERS if decoder.name in names)
    arguments.stoker = environments.package_folder(arguments.stoker, arguments.work)
    return arguments


def main() -> None:
    arguments = parse()
    bench = Bench(arguments)
    turns = bench.run()
    report = bench.report
    report["results"] = {"decode": {1: turns}}
    print(tables.agreement(report, [decoder.name for decoder in arguments.decoders], "simplejpeg"))
    print(tables.decoding(report, turns))
    print(tables.footer(report, report["results"]))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    if arguments.plot:
        environments.draw(report, arguments.plot, arguments.environments)


if __name__ == "__main__":
    main()
