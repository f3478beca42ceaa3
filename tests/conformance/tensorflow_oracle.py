#!/usr/bin/env python3
"""Compares Stoker's TFRecords with TensorFlow: what `stoker pack` writes, and what it makes of files that TensorFlow wrote.

usage: tensorflow_oracle.py STOKER

Exit status: 0 all equal, 1 not, 77 skipped (TensorFlow is absent).
"""

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

SKIP = 77
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
try:
    import tensorflow as tf
except ImportError:
    print("skipped: TensorFlow is absent; `./dev test --all` installs tests/requirements_all.txt into .venv")
    sys.exit(SKIP)

Example, Features, Feature = tf.train.Example, tf.train.Features, tf.train.Feature
CLASSES = ["daisy", "n01440764", "tulip"]
failures, compared = [], 0


def equal(what: str, ours: object, theirs: object) -> None:
    global compared
    compared += 1
    if ours != theirs:
        failures.append(f"{what}:\n  Stoker     {str(ours)[:600]}\n  TensorFlow {str(theirs)[:600]}")


def pack(stoker: str, *words) -> None:
    done = subprocess.run([stoker, "pack", *map(str, words)], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"stoker pack {words}: {done.stderr.decode()}")


def records_of(path) -> list[bytes]:
    """The data of all records; TensorFlow checks both CRCs of each."""
    return [record.numpy() for record in tf.data.TFRecordDataset(str(path))]


def compare_index(path) -> None:
    """NAME.idx against the walk of DALI's tfrecord2idx."""
    lines = []
    with open(path, "rb") as file:
        while head := file.read(12):
            begin = file.tell() - len(head)
            file.seek(struct.unpack("<Q", head[:8])[0] + 4, os.SEEK_CUR)
            lines.append(f"{begin} {file.tell() - begin}")
    equal(f"index of {path.name}", pathlib.Path(f"{path}.idx").read_text().splitlines(), lines)


def make_photos(folder: pathlib.Path, rng: random.Random) -> None:
    """Pictures of all kinds in class folders: name.FORMAT.CHANNELS.SIZE, so that the name tells what is in it."""
    for label, name in enumerate(CLASSES):
        (folder / name).mkdir(parents=True)
        for number, (kind, channels) in enumerate([("jpg", 3), ("jpg", 1), ("png", 3), ("png", 1), ("png", 4)]):
            height, width = rng.randrange(1, 60), rng.randrange(1, 60)
            pixels = tf.random.stateless_uniform((height, width, channels), (label, number), 0, 256, tf.int32)
            encode = tf.io.encode_jpeg if kind == "jpg" else tf.io.encode_png
            file = encode(tf.cast(pixels, tf.uint8)).numpy()
            (folder / name / f"{number}.{channels}.{height}x{width}.{kind}").write_bytes(file)


IMAGENET = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/format": tf.io.FixedLenFeature([], tf.string),
    "image/class/label": tf.io.FixedLenFeature([], tf.int64),
    "image/class/text": tf.io.FixedLenFeature([], tf.string),
    "image/class/synset": tf.io.FixedLenFeature([], tf.string, default_value=""),
    "image/filename": tf.io.FixedLenFeature([], tf.string),
    "image/height": tf.io.FixedLenFeature([], tf.int64),
    "image/width": tf.io.FixedLenFeature([], tf.int64),
    "image/channels": tf.io.FixedLenFeature([], tf.int64),
    "image/colorspace": tf.io.FixedLenFeature([], tf.string),
}


def compare_photos(stoker: str, folder: pathlib.Path, rng: random.Random) -> None:
    photos = folder / "photos"
    make_photos(photos, rng)
    container = folder / "photos.tfrecord"
    pack(stoker, photos, container)
    compare_index(container)
    seen = set()
    for record in records_of(container):
        told = {name: value.numpy() for name, value in tf.io.parse_single_example(record, IMAGENET).items()}
        path = photos / told["image/filename"].decode()
        seen.add(path)
        _, channels, size, kind = path.name.split(".")
        name = path.parent.name
        equal(f"{path.name}: bytes", told["image/encoded"], path.read_bytes())
        equal(f"{path.name}: label", told["image/class/label"], CLASSES.index(name))
        equal(f"{path.name}: text", told["image/class/text"].decode(), name)
        equal(f"{path.name}: synset", told["image/class/synset"].decode(), name if name.startswith("n0") else "")
        equal(f"{path.name}: format", told["image/format"].decode(), {"jpg": "JPEG", "png": "PNG"}[kind])
        equal(f"{path.name}: colours", told["image/colorspace"].decode(), "Grayscale" if channels == "1" else "RGB")
        pixels = tf.io.decode_image(told["image/encoded"]).numpy()
        equal(f"{path.name}: shape", (told["image/height"], told["image/width"], told["image/channels"]), pixels.shape)
        equal(f"{path.name}: size", size, "x".join(map(str, pixels.shape[:2])))
    equal("photos", len(seen), len(list(photos.glob("*/*"))))


def compare_changed(stoker: str, folder: pathlib.Path) -> None:
    """Pixels and labels of Examples changed: all that tells of them follows."""
    source, changed = folder / "photos.tfrecord", folder / "changed.tfrecord"
    pack(stoker, source, changed, "--resize-short", "20", "--enlarge", "--encode", "png", "--label-offset", "1")
    for before, after in zip(records_of(source), records_of(changed)):
        before, after = (tf.io.parse_single_example(record, IMAGENET) for record in (before, after))
        name = after["image/filename"].numpy().decode()
        for kept in ("image/filename", "image/class/text", "image/class/synset"):
            equal(f"{name}: {kept}", after[kept].numpy(), before[kept].numpy())
        equal(f"{name}: label", after["image/class/label"].numpy(), before["image/class/label"].numpy() + 1)
        equal(f"{name}: format", after["image/format"].numpy(), b"PNG")
        pixels = tf.io.decode_png(after["image/encoded"]).numpy()
        told = tuple(after[f"image/{side}"].numpy() for side in ("height", "width", "channels"))
        equal(f"{name}: shape", told, pixels.shape)
        equal(f"{name}: short side", min(pixels.shape[:2]), 20)


def random_feature(rng: random.Random) -> Feature:
    count = rng.choice([0, 1, 1, 1, 2, 5, 200])
    kind = rng.randrange(4)
    if kind == 0:
        return Feature(bytes_list=tf.train.BytesList(value=[rng.randbytes(rng.choice([0, 1, 7, 6000])) for _ in range(count)]))
    if kind == 1:
        return Feature(float_list=tf.train.FloatList(value=[rng.uniform(-1e6, 1e6) for _ in range(count)]))
    if kind == 2:
        return Feature(int64_list=tf.train.Int64List(value=[rng.randrange(-2**63, 2**63) for _ in range(count)]))
    return Feature(int64_list=tf.train.Int64List(value=[rng.randrange(300) for _ in range(count)]))


NAMES = ["image/encoded", "image/class/label", "image/filename", "image/format", "image/height", "image/object/bbox/xmin",
         "label", "image", "file_name", "x", "größe", "日本", ""]


def random_example(rng: random.Random) -> Example:
    # One number of their own, so that no sample could be one of another format.
    features = {"numbers": Feature(int64_list=tf.train.Int64List(value=[rng.randrange(1000)]))}
    for name in rng.sample(NAMES, rng.randrange(len(NAMES))):
        if name != "image/filename" and not name.endswith("label"):
            features[name] = random_feature(rng)
    features["image/class/label"] = Feature(int64_list=tf.train.Int64List(value=[rng.randrange(2**40)]))
    return Example(features=Features(feature=features))


def length_delimited(number: int, data: bytes) -> bytes:
    length, varint = len(data), b""
    while length >= 128:
        varint += bytes([length & 127 | 128])
        length >>= 7
    return bytes([number << 3 | 2]) + varint + bytes([length]) + data


def odd_examples() -> list[bytes]:
    """Messages that TensorFlow reads and does not write: values that are not packed, names twice, unknown fields."""
    def entry(name: bytes, feature: bytes) -> bytes:
        return length_delimited(1, length_delimited(1, name) + length_delimited(2, feature))

    loose_integers = length_delimited(3, b"\x08\x05\x08\xac\x02" + length_delimited(1, b"\x07\x08"))
    loose_floats = length_delimited(2, b"\x0d" + struct.pack("<f", 1.5) + length_delimited(1, struct.pack("<f", -2)))
    text = length_delimited(1, length_delimited(1, b"text"))
    unknown = length_delimited(9, b"unknown") + b"\x50\x2a"
    numbers = entry(b"n", loose_integers)
    return [length_delimited(1, body) for body in (
        numbers + entry(b"f", loose_floats),
        numbers + entry(b"twice", text) + entry(b"twice", loose_floats),
        numbers + entry(b"both", text + loose_integers),
        numbers + entry(b"same", text + text),
        unknown + entry(b"n", unknown + loose_integers),
        numbers + length_delimited(1, length_delimited(2, text) + length_delimited(1, b"name behind its feature")),
        numbers + entry(b"empty", length_delimited(1, b"")) + entry(b"no", length_delimited(3, length_delimited(1, b""))),
    )] + [length_delimited(1, numbers) + length_delimited(1, entry(b"a", text)), unknown + length_delimited(1, numbers)]


def without_unknown(record: bytes) -> Example:
    example = Example.FromString(record)
    example.DiscardUnknownFields()
    return example


def compare_examples(stoker: str, folder: pathlib.Path, rng: random.Random) -> None:
    theirs = [random_example(rng).SerializeToString() for _ in range(300)]
    odd = odd_examples()
    source, copy = folder / "theirs.tfrecord", folder / "ours.tfrecord"
    with tf.io.TFRecordWriter(str(source)) as writer:
        for record in theirs + odd:
            writer.write(record)
    pack(stoker, source, copy, "--drop-fields", "--no-index")
    compare_index(copy)
    # An Example whose picture Stoker looked at may tell more of it: here nothing is one.
    ours = records_of(copy)
    equal("records", len(ours), len(theirs) + len(odd))
    for number, (our, their) in enumerate(zip(ours, theirs + odd)):
        equal(f"example {number}", without_unknown(our), without_unknown(their))
    equal("bytes of what TensorFlow wrote", ours[:len(theirs)], theirs)


def main() -> int:
    stoker = sys.argv[1]
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        compare_photos(stoker, pathlib.Path(folder), rng)
        compare_changed(stoker, pathlib.Path(folder))
        compare_examples(stoker, pathlib.Path(folder), rng)
    for failure in failures[:20]:
        print(failure)
    print(json.dumps({"tensorflow": tf.__version__, "compared": compared, "different": len(failures)}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
