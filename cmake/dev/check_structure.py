#!/usr/bin/env python3
"""Checks the laws of docs/architecture.md that a text can show: include levels, sizes, tests that are built, no machine paths.

Prints one line a fault and exits 1 if there is any.
"""

import fnmatch
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# module: (rooms it may include). Level 0 (include/stoker) is open to all; a room may always include itself.
MAY_INCLUDE = {
    "base": set(),
    "store": {"base"},
    "jpeg": {"base"},
    "watch": {"base"},
    "show": {"base"},
    "price": {"base"},
    "record": {"base", "store"},
    "image": {"base", "jpeg"},
    "array": {"base"},
    "pack": {"base", "store", "record", "jpeg", "image", "array"},
    "load": {"base", "store", "record", "jpeg", "image", "array"},
    "doctor": {"base"},
    "train": {"base", "store", "load", "torch"},
    "bench": {"base", "store", "jpeg", "record", "image", "array", "pack", "load"},
}
STORAGE_BEHIND_JPEG_ONLY = {"jpeglib.h": {"jpeg", "bench"}, "spng.h": {"image"}, "webp/decode.h": {"image"},
                          "kiss_fftr.h": {"array"}}
TORCH = re.compile(r"^(torch|ATen|c10)/")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
FUNCTION_END = 120
FILE_END = 800
PUBLIC_SHARE = 0.15
MACHINE_PATH = re.compile(r"(^|[^\w./-])/(home|root|work|Users)/\w")


def files(*patterns: str) -> list[pathlib.Path]:
    """The repository's files, without what building and installing leave in its folders (no git is needed)."""
    left_out = re.compile(r"^(\.git|\.venv|\.deps|build(-.*)?|__pycache__)$")
    found = []
    for folder, names, members in os.walk(ROOT):
        names[:] = [name for name in names if not left_out.match(name)]
        found += [pathlib.Path(folder) / name for name in members if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    return sorted(path for path in found if path.is_file())


def room_of(path: pathlib.Path) -> str:
    parts = path.relative_to(ROOT).parts
    if parts[0] == "src":
        return parts[1]
    return parts[0]


def is_test_file(path: pathlib.Path) -> bool:
    return bool(re.search(r"_test\.cpp$|fixture|^test_", path.name))


def check_includes(path: pathlib.Path, text: str) -> list[str]:
    faults = []
    room = room_of(path)
    is_test = is_test_file(path)
    for kind, target in INCLUDE.findall(text):
        first = target.split("/")[0]
        where = f"{path.relative_to(ROOT)}: includes {target}"
        if room == "include":
            if kind == '"' and first != "stoker":
                faults.append(f"{where}: a public header includes std and public headers only")
            if kind == "<" and ("/" in target or target.endswith(".h")):
                faults.append(f"{where}: a public header includes std only")
        elif room in MAY_INCLUDE:
            own = first == room or first == "stoker" or is_test  # a test makes its input with whatever room makes it
            if kind == '"' and "/" in target and not own and first not in MAY_INCLUDE[room]:
                faults.append(f"{where}: {room} may include {', '.join(sorted(MAY_INCLUDE[room])) or 'level 0'}")
            if kind == '"' and "/" not in target:
                faults.append(f"{where}: includes go from the root, as \"{room}/{target}\"")
        elif room == "python":
            if kind == '"' and "/" in target and first != "stoker":
                faults.append(f"{where}: the Python module includes public headers only")
        if TORCH.match(target) and room != "train":
            faults.append(f"{where}: only src/train includes torch")
        allowed = STORAGE_BEHIND_JPEG_ONLY.get(target)
        if allowed and room in MAY_INCLUDE and room not in allowed and not is_test:
            faults.append(f"{where}: only {', '.join(sorted(allowed))} may")
    return faults


def check_functions(path: pathlib.Path, lines: list[str]) -> list[str]:
    """A function body is taken to run from a line that ends in '{' at low indent to the '}' at the same indent."""
    faults = []
    for start, line in enumerate(lines):
        opening = re.match(r"^( {0,2})[\w:<>~*&\[\], ]+.*\)[^;=]*\{$", line)
        if not opening or re.match(r"^\s*(namespace|class|struct|enum|if|for|while|switch|TEST)", line):
            continue
        closing = opening.group(1) + "}"
        for end in range(start + 1, len(lines)):
            if lines[end] == closing or lines[end] == closing + ";":
                if end - start + 1 > FUNCTION_END:
                    faults.append(f"{path.relative_to(ROOT)}:{start + 1}: a function of {end - start + 1} lines; at most {FUNCTION_END}")
                break
    return faults


def check_tests_are_built(sources: list[pathlib.Path]) -> list[str]:
    faults = []
    for path in sources:
        if not path.name.endswith("_test.cpp"):
            continue
        folder = path.parent
        while folder != ROOT and not (folder / "CMakeLists.txt").exists():
            folder = folder.parent
        build = "\n".join(file.read_text() for file in [folder / "CMakeLists.txt", *folder.glob("*.cmake")])
        patterns = [word.split("/")[-1] for word in re.findall(r"[\w*/${}.-]+\.cpp", build)]
        if "stoker_module(" not in build and not any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns):
            faults.append(f"{path.relative_to(ROOT)}: no CMakeLists.txt builds this test")
    return faults


def check_fuzzers_are_run(sources: list[pathlib.Path]) -> list[str]:
    """Every fuzzer lies in fuzz/ as NAME_fuzzer.cpp, and fuzz/CMakeLists.txt makes a test of it."""
    faults = []
    build = (ROOT / "fuzz/CMakeLists.txt").read_text()
    for path in sources:
        defines = re.search(r'^extern "C" int LLVMFuzzerTestOneInput\([^)]*\) \{', path.read_text(), re.MULTILINE)
        name = path.name.removesuffix("_fuzzer.cpp")
        if defines and (name == path.name or path.parent != ROOT / "fuzz"):
            faults.append(f"{path.relative_to(ROOT)}: a fuzzer is fuzz/NAME_fuzzer.cpp")
        elif name != path.name and f"stoker_fuzzer({name} " not in build:
            faults.append(f"{path.relative_to(ROOT)}: fuzz/CMakeLists.txt does not name this fuzzer")
    return faults


def main() -> int:
    sources = files("*.cpp", "*.hpp")
    faults: list[str] = []
    public = private = tests = 0
    for path in sources:
        text = path.read_text()
        lines = text.split("\n")
        if len(lines) > FILE_END:
            faults.append(f"{path.relative_to(ROOT)}: {len(lines)} lines; at most {FILE_END}: one file, one idea")
        faults += check_includes(path, text)
        if not is_test_file(path):
            faults += check_functions(path, lines)
        room = room_of(path)
        if room == "include":
            public += len(lines)
        elif is_test_file(path) or room in {"tests", "fuzz"}:
            tests += len(lines)
        else:
            private += len(lines)
    if public > PUBLIC_SHARE * (public + private) and private > 10_000:
        faults.append(f"include/stoker: {public} of {public + private} lines; at most {PUBLIC_SHARE:.0%}")
    if tests * 2 < private:
        faults.append(f"tests: {tests} lines for {private} lines of source; at least half")
    faults += check_tests_are_built(sources)
    faults += check_fuzzers_are_run(sources)
    for path in files("*"):
        if path.suffix in {".jpg", ".png", ".rec"}:
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if path != pathlib.Path(__file__).resolve() and MACHINE_PATH.search(text):
            faults.append(f"{path.relative_to(ROOT)}: a path of somebody's machine")
    for fault in faults:
        print(fault)
    print(f"structure: {len(sources)} files, {public} public + {private} private lines, {tests} of tests, {len(faults)} faults", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
