#!/usr/bin/env python3
"""Compares Stoker's RecordIO with MXNet's own reader: what `stoker pack` writes, and what it makes of files that MXNet wrote.

usage: mxnet_oracle.py STOKER FOREIGN_RECORDS

Exit status: 0 all equal, 1 not, 77 skipped (mxnet is absent).
"""

import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
SKIP = 77
try:
    from mxnet_recordio import import_recordio

    recordio = import_recordio()
    from mxnet.base import MXNetError
except (ImportError, OSError) as error:
    print(f"skipped: {error}; `./dev test --all` installs tests/requirements_alone.txt into .venv")
    sys.exit(SKIP)

MAGIC = struct.pack("<I", 0xCED7230A)
JPEG_HEAD, PNG_HEAD = b"\xff\xd8\xff", b"\x89PNG"
failures, compared = [], 0


def equal(what: str, ours: object, theirs: object) -> None:
    global compared
    compared += 1
    if ours != theirs:
        failures.append(f"{what}:\n  Stoker {str(ours)[:300]}\n  MXNet  {str(theirs)[:300]}")


def stoker(program: str, *words) -> str:
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"stoker {words}: {done.stderr}")
    return done.stdout


def in_order(path) -> list[bytes]:
    """All records as MXNet reads them from the first to the last."""
    reader, records = recordio.MXRecordIO(str(path), "r"), []
    while (record := reader.read()) is not None:
        records.append(bytes(record))
    reader.close()
    return records


def by_key(path) -> dict[int, bytes]:
    """All records as MXNet finds them by NAME.idx."""
    reader = recordio.MXIndexedRecordIO(str(path.with_suffix(".idx")), str(path), "r")
    records = {key: bytes(reader.read_idx(key)) for key in reader.keys}
    reader.close()
    return records


def unpacked(record: bytes) -> tuple:
    """(labels, id, data) as mxnet.recordio.unpack tells them; of a record without its header the bytes alone."""
    try:
        header, data = recordio.unpack(record)
    except (struct.error, ValueError):
        return [], 0, record
    labels = [float(label) for label in header.label] if header.flag else [float(header.label)]
    return labels, header.id, bytes(data)


def jpeg(payload: bytes) -> bytes:
    """A file with the header of a JPEG of 8 x 8 pixels and any bytes in its scan, which a pack passes through."""
    table = b"\xff\xdb\x00\x43\x00" + b"\x01" * 64
    frame = b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00"
    return b"\xff\xd8" + table + frame + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + payload.replace(b"\xff", b"\x7f") + b"\xff\xd9"


def random_payload(rng: random.Random) -> bytes:
    """Any bytes, the format's magic among them at every alignment."""
    pieces = [rng.choice([rng.randbytes(rng.randrange(40)), MAGIC, MAGIC[:3], b""]) for _ in range(rng.randrange(1, 12))]
    return b"".join(pieces)


def compare_folder(program: str, folder: pathlib.Path, rng: random.Random) -> None:
    photos, files = folder / "photos", []
    for label, name in enumerate(["ant", "bee", "cow"]):
        (photos / name).mkdir(parents=True)
        for number in range(30):
            file = photos / name / f"{number:03}.jpg"
            file.write_bytes(jpeg(random_payload(rng)))
            files.append((label, file.read_bytes()))
    for name, options in (("one", []), ("two", ["--shards", "2"])):
        stoker(program, "pack", photos, folder / f"{name}.rec", *options)
        shards = sorted(folder.glob(f"{name}*.rec"))
        equal(f"{name}: shards", len(shards), 2 if options else 1)
        records = [unpacked(record) for shard in shards for record in in_order(shard)]
        equal(f"{name}: records", [([float(label)], id, data) for id, (label, data) in enumerate(files)], records)
        keyed = {key: unpacked(record) for shard in shards for key, record in by_key(shard).items()}
        equal(f"{name}: by key", {id: record for id, record in enumerate(records)}, keyed)
    compare_list(program, photos, folder, rng)


def compare_list(program: str, photos: pathlib.Path, folder: pathlib.Path, rng: random.Random) -> None:
    """Ids and several labels of a list."""
    lines, wanted = [], []
    for file in sorted(photos.glob("*/*.jpg")):
        id, labels = rng.randrange(2**31), [rng.randrange(-99, 99) / 4 for _ in range(rng.choice([1, 1, 2, 5]))]
        lines.append("\t".join(map(str, [id, *labels, file.relative_to(photos)])))
        wanted.append((labels, id, file.read_bytes()))
    (folder / "some.lst").write_text("\n".join(lines) + "\n")
    stoker(program, "pack", folder / "some.lst", folder / "listed.rec", "--root", photos)
    equal("listed", wanted, [unpacked(record) for record in in_order(folder / "listed.rec")])


def compare_theirs(program: str, folder: pathlib.Path, rng: random.Random) -> None:
    """Records that MXNet wrote, any bytes in them, read and packed once more."""
    theirs, copy = folder / "theirs.rec", folder / "copy.rec"
    writer = recordio.MXIndexedRecordIO(str(theirs.with_suffix(".idx")), str(theirs), "w")
    for id in range(300):
        label, data = rng.randrange(1000) / 8, rng.choice([jpeg, bytes])(random_payload(rng))
        writer.write_idx(id, recordio.pack(recordio.IRHeader(0, label, id, 0), data or b"x"))
    writer.close()
    records = in_order(theirs)
    listed = [json.loads(line) for line in stoker(program, "ls", theirs, "--json").splitlines()]
    listed = [line for line in listed if "fields" in line]
    told = [(labels, str(id), len(data)) for labels, id, data in map(unpacked, records)]
    equal("theirs, listed", [(line["labels"], line["key"], sum(line["fields"].values())) for line in listed], told)
    stoker(program, "pack", theirs, copy)
    equal("theirs, packed again", in_order(copy), records)
    equal("theirs, packed again: bytes", copy.read_bytes(), theirs.read_bytes())


def compare_foreign(program: str, folder: pathlib.Path, foreign: pathlib.Path) -> None:
    for number, path in enumerate(sorted(foreign.glob("*/*.rec"))):
        try:
            records = in_order(path)
        except MXNetError:
            print(f"{path.parent.name}/{path.name}: MXNet refuses it")
            continue
        done = subprocess.run([program, "pack", path, folder / f"foreign{number}.rec"], capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{path.parent.name}/{path.name}: MXNet reads {len(records)} records; Stoker: {done.stderr.splitlines()[0]}")
            continue
        ours = in_order(folder / f"foreign{number}.rec")
        equal(f"{path.parent.name}/{path.name}", list(map(unpacked, ours)), list(map(unpacked, records)))


def main() -> int:
    program, foreign = sys.argv[1], pathlib.Path(sys.argv[2])
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compare_folder(program, folder, rng)
        compare_theirs(program, folder, rng)
        compare_foreign(program, folder, foreign)
    for failure in failures[:20]:
        print(failure)
    print(json.dumps({"compared": compared, "different": len(failures)}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
