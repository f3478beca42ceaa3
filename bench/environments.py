#!/usr/bin/env python3
"""Virtual environments of the peers, made once: packages that want other versions of NumPy or PyTorch cannot share one.

usage: environments.py [--environments FOLDER] [NAME…]      makes these, or all, and tells which could not be made
       environments.py --debian                             prints the Debian packages that they want

Each requirements/NAME.txt is an environment. Its head says what it is for; a line `# apt: packages` what it wants of the system, and
`# pip: options` what pip is told for the lines behind it.
"""

import argparse
import fcntl
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"
PICTURES = Path(__file__).parent / "pictures.py"
FOLDER = Path(__file__).parent.parent / "build" / "bench-envs"
# Pillow-SIMD's own build makes AVX2 code only where it is told to.
BUILD_FLAGS = {"pillow_simd": {"CC": "cc -mavx2"}}


class NotInstalled(Exception):
    """The words of whoever could not install it."""


def python_of(name: str, folder: Path) -> Path:
    """The interpreter of the environment `name` below `folder`, which is made where it is not there or its requirements changed.

    Errors: NotInstalled; what failed is kept too, so that the same requirements are not tried again at each call.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two that ask at once one makes it
        return made(name, folder)


def made(name: str, folder: Path) -> Path:
    wanted, place = (REQUIREMENTS / f"{name}.txt").read_text(), folder / name
    python, done, failed = place / "bin" / "python3", place / "requirements.done", folder / f"{name}.failed"
    if done.exists() and done.read_text() == wanted:
        return python
    if failed.exists() and failed.read_text().startswith(wanted):
        raise NotInstalled(failed.read_text().removeprefix(wanted))
    print(f"installing {name} …", file=sys.stderr, flush=True)
    shutil.rmtree(place, ignore_errors=True)
    venv.create(place, with_pip=True)
    for options, lines in sections(wanted):
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *options, *lines]
        result = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **BUILD_FLAGS.get(name, {})})
        if result.returncode != 0:
            failed.write_text(wanted + reason(result.stderr))
            raise NotInstalled(reason(result.stderr))
    failed.unlink(missing_ok=True)
    done.write_text(wanted)
    return python


def sections(requirements: str) -> list[tuple[list[str], list[str]]]:
    """Runs of lines, with the options that a line `# pip: options` gives those behind it."""
    found: list[tuple[list[str], list[str]]] = [([], [])]
    for line in requirements.splitlines():
        if line.startswith("# pip:"):
            found.append((line.removeprefix("# pip:").split(), []))
        elif line and not line.startswith("#"):
            found[-1][1].append(line)
    return [(options, lines) for options, lines in found if lines]


def reason(text: str) -> str:
    """The line of pip's that tells most: its last error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return ((errors or lines)[-1:] or ["no reason given"])[0][:200]


def add_options(parser: argparse.ArgumentParser, work: str, use: str) -> None:
    """Those that all benches here share. `work`: the folder below build/ that is theirs."""
    parser.add_argument("--stoker", type=Path, default=FOLDER.parent / "python", help="a folder with the package in it, or a wheel")
    parser.add_argument("--work", type=Path, default=FOLDER.parent / work, help=use)
    parser.add_argument("--environments", type=Path, default=FOLDER)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path, metavar="FOLDER")


def package_folder(given: Path, work: Path) -> Path:
    """What PYTHONPATH has to name: `given`, a folder, or a wheel unpacked below `work`."""
    if given.suffix != ".whl":
        return given
    place = work / f"{given.stem}-{given.stat().st_mtime_ns}"
    if not place.exists():
        with zipfile.ZipFile(given) as archive:
            archive.extractall(place)
    return place


def draw(report: dict, folder: Path, environments: Path) -> None:
    """The report's pictures, by the environment that has matplotlib. Without it the figures stay what they are: it says so."""
    try:
        python = python_of("plot", environments.resolve())
    except NotInstalled as error:
        print(f"no pictures: {error}", file=sys.stderr)
        return
    subprocess.run([python, PICTURES, folder], input=json.dumps(report), text=True, check=True)


def versions(python: Path, packages: tuple[str, ...]) -> str:
    """"torch 2.14.1, pillow 13.0.0"."""
    code = "import importlib.metadata as m, sys; print(', '.join(f'{p} {m.version(p)}' for p in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *packages], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--environments", type=Path, default=FOLDER)
    parser.add_argument("--debian", action="store_true")
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
    if arguments.debian:
        lines = [line for name in names for line in (REQUIREMENTS / f"{name}.txt").read_text().splitlines() if line.startswith("# apt:")]
        print(" ".join(sorted({package for line in lines for package in line.removeprefix("# apt:").split()})))
        return 0
    missing = 0
    for name in names:
        (arguments.environments / f"{name}.failed").unlink(missing_ok=True)  # asked for by name: tried again
        try:
            print(f"{name}: {python_of(name, arguments.environments.resolve())}", flush=True)
        except NotInstalled as error:
            missing += 1
            print(f"{name}: not installed: {error}", flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
