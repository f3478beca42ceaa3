#!/usr/bin/env python3
"""Stoker's loader beside its peers, in turns, on the same photos.

usage: run.py DATA [--peers A,B] [--tasks train-u8,train-f32,eval-u8] [--workers 1,2] [--epochs 3] [--seconds 2] [--stoker PACKAGE] [--json FILE]
              [--plot FOLDER]

DATA is a folder of class folders. Each peer runs in a process and an environment of its own (bench/environments.py makes them), in
the setting that its file in loaders/ tells. First the pixels of each are held against Pillow's. Then, behind an epoch that warms up,
epochs are run in turns, one peer at a time, each between two measurements of the unit, *turbo*: the full decode of the same photos by
plain libjpeg-turbo from memory, one thread. Printed are medians (and ranges): images per CPU second, user and system, of all of a
peer's processes, as a ratio to turbo's; and images per second of wall time.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import environments
import photos
import tables
from agreement import Agreement, compare
from children import TROUBLES, TURBO, Child, Failed, take_turns
from environments import python_of, versions
from peers import BARS, PEERS, Peer
from storage import paths

TASKS = ("train-u8", "train-f32", "eval-u8")


class Bench:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.failures: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.own = {"PYTHONPATH": str(arguments.stoker.resolve())}
        folder = arguments.data.resolve()
        self.work = arguments.work.resolve() / f"{folder.name}-{arguments.count}"
        self.data = self.stored(folder, self.work / "storage")

    def stored(self, source: Path, folder: Path) -> dict[str, str]:
        command = [self.python("stoker"), HERE / "storage.py", source, folder]
        subprocess.run(command, check=True, env={**os.environ, **self.own})
        return paths(source, folder)

    def failed(self, name: str, error: Exception) -> None:
        self.failures[name] = str(error)
        print(f"{name}: not measured: {error}", file=sys.stderr, flush=True)

    def python(self, environment: str) -> Path:
        return python_of(environment, self.arguments.environments.resolve())

    def start(self, peer: Peer, task: str, workers: int, data: dict[str, str]) -> Child:
        kind, dtype = task.split("-")
        python = self.python(peer.environment)
        if peer.packages:
            self.versions.setdefault(peer.name, versions(python, peer.packages))
        arguments = {"data": data, "task": kind, "dtype": dtype, "workers": workers, **peer.options}
        return Child(python, HERE / "loaders" / f"{peer.module}.py", arguments, self.own if peer.own else {})

    def agreements(self) -> dict[str, Agreement]:
        arguments, python = self.arguments, self.python("reference")
        probe = self.work / f"probe-{arguments.compared}"
        if not probe.exists():
            subprocess.run([python, HERE / "probe.py", self.data["folder"], probe, str(arguments.compared)], check=True)
        data = self.stored(probe, self.work / f"probe-storage-{arguments.compared}")
        wanted, path = self.work / "reference.npy", self.work / "pixels.npy"
        reference = Child(python, HERE / "loaders" / "reference.py", {"data": data, "task": "eval", "dtype": "u8", "workers": 1})
        shapes = reference.save(arguments.compared, wanted)
        reference.end()
        found = {}
        for peer in arguments.peers:
            try:
                child = self.start(peer, "eval-u8", 1, data)
                theirs = child.save(len(shapes), path)
                child.end()
                if theirs != shapes:
                    raise Failed(f"gave {len(theirs)} images of {theirs[:1]}; wanted: {len(shapes)} of {shapes[0]}")
                found[peer.name] = compare(python, path, wanted, peer.bounds)
                print(f"{peer.name}: {found[peer.name]}", file=sys.stderr, flush=True)
            except TROUBLES as error:
                self.failed(peer.name, error)
        return found

    def measure(self, task: str, workers: int) -> dict[str, list[dict]]:
        """Of each peer, its turns."""
        turbo = Child(self.python("stoker"), TURBO, {"folder": self.data["folder"]})
        children = {}
        for peer in self.arguments.peers:
            if peer.name in self.failures:
                continue
            try:
                children[peer.name] = self.start(peer, task, workers, self.data)
                children[peer.name].turn(0)  # warms up: caches, pools, compilers, its own tuning
            except TROUBLES as error:
                children.pop(peer.name, None)
                self.failed(peer.name, error)
        try:
            return take_turns(children, turbo, self.arguments.epochs, self.arguments.seconds, self.failed)
        finally:
            for child in (*children.values(), turbo):
                child.end()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--peers", default="", help="parts of their names, with commas; default: all")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--workers", default="1,2", help="threads or worker processes")
    parser.add_argument("--epochs", type=int, default=3, help="turns of each")
    parser.add_argument("--seconds", type=float, default=2, help="a turn is whole epochs until so many have gone")
    parser.add_argument("--compared", type=int, default=100, help="images whose pixels are compared")
    environments.add_options(parser, "bench-peers", "for the packed photos")
    arguments = parser.parse_args()
    try:
        arguments.count = len(photos.photos(arguments.data))
    except FileNotFoundError as error:
        parser.error(str(error))
    parts = [part.strip().lower() for part in arguments.peers.split(",")]
    arguments.peers = tuple(peer for peer in PEERS if any(part in peer.name.lower() for part in parts))
    arguments.stoker = environments.package_folder(arguments.stoker, arguments.work)
    return arguments


def main() -> None:
    arguments = parse()
    bench = Bench(arguments)
    agreements = bench.agreements()
    results: dict[str, dict[int, dict[str, list[dict]]]] = {}
    report = {
        "schema": "stoker.bench.peers/1", "machine": tables.machine(), "results": results, "failures": bench.failures,
        "versions": bench.versions, "agreement": {name: {**vars(found), "holds": found.holds} for name, found in agreements.items()},
        "excuses": {peer.name: peer.excuse() for peer in arguments.peers}}
    for task in arguments.tasks.split(","):
        for workers in map(int, arguments.workers.split(",")):
            print(f"{task}, {workers} at work …", file=sys.stderr, flush=True)
            results.setdefault(task, {})[workers] = bench.measure(task, workers)
            if arguments.json:  # as far as it has come: all of it takes long
                arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    print(tables.agreement(report, [peer.name for peer in arguments.peers], "Pillow's resize of the whole picture"))
    for task, of_workers in results.items():
        print(tables.loading(report, task, of_workers))
    print(tables.bars(BARS, arguments.peers, report))
    print(tables.footer(report, results))
    if arguments.plot:
        environments.draw(report, arguments.plot, arguments.environments)


if __name__ == "__main__":
    main()
