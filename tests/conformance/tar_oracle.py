#!/usr/bin/env python3
"""Compares Stoker's tars with Python's tarfile, webdataset and tar: what it writes, and how it reads what they write.

usage: tar_oracle.py TAR_PROBE DATA

TAR_PROBE is the program of that name, DATA the folder of sample data (may be absent). Exit status: 0 all equal, 1 not,
77 skipped (webdataset is absent).
"""

import io
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib

SKIP = 77
try:
    import webdataset
    from webdataset.tariterators import group_by_keys, tar_file_expander
except ImportError as error:
    print(f"skipped: {error.name} is absent; `./dev test` installs tests/requirements.txt into .venv")
    sys.exit(SKIP)

OWN_NAMES = {"__key__", "__url__", "__local_path__"}  # of webdataset, in every sample
JPEG = b"\xff\xd8\xff\xe0 no picture"
failures, compared = [], 0


def equal(what: str, ours: object, theirs: object) -> None:
    global compared
    compared += 1
    if ours != theirs:
        failures.append(f"{what}:\n  Stoker {str(ours)[:600]}\n  they   {str(theirs)[:600]}")


def probe(program: str, *words) -> str:
    done = subprocess.run([program, *map(str, words)], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"tar_probe {words}: {done.stderr.decode()}")
    return done.stdout.decode()


def crc(data: bytes) -> str:
    return f"{len(data)}:{zlib.crc32(data):08x}"


def samples_of_webdataset(path) -> list[tuple]:
    """(key, {field: size and CRC}) as webdataset groups the members."""
    with open(path, "rb") as file:
        members = tar_file_expander([{"url": str(path), "stream": file}])
        return [(sample["__key__"], {name: crc(data) for name, data in sample.items() if name not in OWN_NAMES})
                for sample in group_by_keys(members)]


def samples_of_stoker(program, path) -> list[tuple]:
    samples = []
    for line in probe(program, "list", path).splitlines():
        key, labels, main, *fields = line.split("\t")
        samples.append((key, dict(field.split(":", 1) for field in fields), labels, main))
    return samples


def compare_reading(program, what, path):
    """Both group a tar's members alike."""
    equal(what, [sample[:2] for sample in samples_of_stoker(program, path)], samples_of_webdataset(path))


def compare_written(program, what, path):
    """tarfile, webdataset and tar read a tar that Stoker wrote, and find in it what Stoker does."""
    compare_reading(program, f"{what} by webdataset", path)
    ours = {f"{key}.{name}": content for key, fields, *_ in samples_of_stoker(program, path) for name, content in fields.items()}
    with tarfile.open(path, "r:", errorlevel=2) as tar:
        members = tar.getmembers()
        equal(f"{what} by tarfile", ours, {member.name: crc(tar.extractfile(member).read()) for member in members})
        equal(f"{what}: owner, mode and time", {(0o644, 0, 0, 0, "", "")},
              {(m.mode, m.uid, m.gid, m.mtime, m.uname, m.gname) for m in members})
        names = [member.name for member in members]
    equal(f"{what}: order within a sample", [list(fields) for _, fields, *_ in samples_of_stoker(program, path)],
          [sorted(fields) for _, fields, *_ in samples_of_stoker(program, path)])
    equal(f"{what}: whole tape records", path.stat().st_size % 10240, 0)
    if shutil.which("tar"):
        listed = subprocess.run(["tar", "--quoting-style=literal", "-tf", path], capture_output=True, check=False)
        equal(f"{what} by tar", (0, "", names), (listed.returncode, listed.stderr.decode(), listed.stdout.decode().splitlines()))


def check_odd(program, folder):
    path = folder / "odd.tar"
    probe(program, "odd", path)
    again = folder / "again.tar"
    probe(program, "odd", again)
    equal("the same bytes every time", path.read_bytes(), again.read_bytes())
    compare_written(program, "odd samples", path)
    with open(path, "rb") as file:
        samples = {sample["__key__"]: sample for sample in group_by_keys(tar_file_expander([{"url": "", "stream": file}]))}
    long_folder = "f" * 150
    keys = ["n01/plain", "n01/plain~1", "a%2Eb%2Ec", "%2Ehidden", "%2E%2E/up", "abs/x", "grüß/日", "a b%0Ac", "caf%E9", "%5F_meta__/x",
            "10", f"{long_folder}/short", f"{long_folder}/{long_folder}/{'b' * 120}", f"{'b' * 120}/x", "~1", "100%", "n01/plain~2",
            "labels", "unlabelled", "empty", "large", "features"]
    equal("keys", keys, list(samples))
    for key in keys[:17]:
        equal(f"{key}: label and image", (b"3", JPEG), (samples[key]["cls"], samples[key]["jpg"]))
    equal("labels", [3.0, 0.5, -1e-07], json.loads(samples["labels"]["labels.json"]))
    equal("unlabelled", {"jpg"}, set(samples["unlabelled"]) - OWN_NAMES)
    equal("empty", b"", samples["empty"]["bin"])
    equal("large", b"x" * 300_000, samples["large"]["npy"])
    features = samples["features"]
    equal("features", {"image/height": [500], "image/object/bbox/xmin": [0.1, 2.0, 1e30], "image/class/text": "a \"cat\"\nü",
                       "tags": ["a", ""]}, json.loads(features["example.json"]))
    equal("binary features", b"\x89\xff", features["image_mask"])
    equal("fields of one name", (JPEG, JPEG, b"{}"), (features["jpg"], features["1.jpg"], features["json"]))
    labels = {key: label for key, _, label, _ in samples_of_stoker(program, path)}
    equal("labels as Stoker reads them", ("3", "3,0.5,-1e-07", ""), (labels["n01/plain"], labels["labels"], labels["unlabelled"]))


def random_name(rng) -> str:
    part = lambda longest: "".join(rng.choice("abXY._ ~%é日-") for _ in range(rng.randint(1, longest)))
    folders = "".join(part(rng.choice([3, 60])) + "/" for _ in range(rng.choice([0, 0, 1, 3])))
    return folders + part(rng.choice([3, 12, 90])) + rng.choice([".jpg", ".cls", ".seg.png", ".JSON", ""])


def check_tarfile(program, folder, rng):
    """Random members in each format that tarfile writes."""
    for number in range(120):
        form = rng.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
        path, used = folder / "theirs.tar", set()
        with tarfile.open(path, "w", format=form) as tar:
            for _ in range(rng.randint(1, 12)):
                name = random_name(rng)
                # webdataset takes "folder/.hidden" for a field of the sample "folder/"; see docs/formats/tar.md.
                if pathlib.PurePosixPath(name).name.startswith(".") or name.lower() in used:
                    continue
                used.add(name.lower())
                info = tarfile.TarInfo(name)
                info.mtime = rng.choice([0, 1.5, 2**34])
                info.uname, info.gname = rng.choice([("", ""), ("nämé", "group")])
                info.type = rng.choice([tarfile.REGTYPE] * 6 + [tarfile.DIRTYPE, tarfile.SYMTYPE])
                data = rng.randbytes(rng.choice([0, 1, 511, 512, 513, 3000])) if info.isreg() else b""
                info.size = len(data)
                try:
                    tar.addfile(info, io.BytesIO(data))
                except ValueError:  # ustar cannot hold it
                    continue
        compare_reading(program, f"tarfile {number}, format {form}", path)


def check_webdataset(program, folder, rng):
    path = folder / "webdataset.tar"
    with webdataset.TarWriter(str(path), encoder=False) as writer:
        for number in range(60):
            writer.write({"__key__": f"{rng.choice(['a', 'b/c'])}/{number:04}", "jpg": rng.randbytes(rng.randint(0, 9000)),
                          "cls": str(number % 7).encode(), "Meta.JSON": b"{}"})
    compare_reading(program, "webdataset's own", path)
    equal("labels of webdataset's own", [str(n % 7) for n in range(60)], [label for *_, label, _ in samples_of_stoker(program, path)])
    copied = folder / "copied.tar"
    probe(program, "copy", path, copied)
    compare_written(program, "a copy of webdataset's own", copied)
    equal("the copy", samples_of_webdataset(path), samples_of_webdataset(copied))


def check_data(program, folder, data):
    for path in sorted((data / "foreign-records").glob("wds-*/*.tar")):
        if path.name != "truncated-midmember.tar":
            compare_reading(program, path.name, path)
            probe(program, "copy", path, folder / "copy.tar")
            compare_written(program, f"a copy of {path.name}", folder / "copy.tar")


def main() -> int:
    program, data, rng = sys.argv[1], pathlib.Path(sys.argv[2]), random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_odd(program, folder)
        check_tarfile(program, folder, rng)
        check_webdataset(program, folder, rng)
        check_data(program, folder, data)
    for failure in failures[:20]:
        print(f"DIFFERENT: {failure}")
    print(f"webdataset {webdataset.__version__}: {compared} compared, {len(failures)} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
