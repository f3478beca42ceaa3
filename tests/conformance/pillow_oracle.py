#!/usr/bin/env python3
"""Compares Stoker's pixels with Pillow's, to the byte: whole pictures, crops, resizes, windows, recipes.

usage: pillow_oracle.py PIXEL_DUMP DATA

PIXEL_DUMP is the program of that name, DATA the folder of sample data. Exit status: 0 all equal, 1 not, 77 skipped
(Pillow or the data is absent).
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

SKIP = 77
try:
    import numpy as np
    import PIL
    from PIL import Image, features

    import pillow_reference as reference
except ImportError as error:
    print(f"skipped: {error.name} is absent; `./dev test` installs tests/requirements.txt into .venv")
    sys.exit(SKIP)

WHOLE = (0, 0, 0, 0)
# Files that Pillow and Stoker read differently, each with its reason. Anything else that differs is a failure.
EXPLAINED = {
    "bmp-named-jpg.jpg": "BMP is a kind that Stoker refuses by name",
    "gif-named-jpg.jpg": "GIF is a kind that Stoker refuses by name",
}
# Wall seconds after which no further photo is begun: slow machines compare fewer of them.
BUDGET_S = 25


class Stoker:
    """pixel_dump, asked one question at a time."""

    def __init__(self, program: str):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *fields):
        """(width, height, bytes, warning), or the message of an error."""
        self.process.stdin.write(("\t".join(map(str, fields)) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode()
        if not line:
            sys.exit(f"pixel_dump ended at the question {fields}: exit status {self.process.wait()}")
        status, width, height, size, text = line.rstrip("\n").split("\t")
        data = self.process.stdout.read(int(size))
        return text if status == "error" else (int(width), int(height), data, text)

    def pixels(self, path, crop=WHOLE, size=(0, 0), name="bilinear", window=WHOLE):
        answer = self.ask("pixels", path, *crop, *size, name, *window)
        if isinstance(answer, str):
            return answer
        return np.frombuffer(answer[2], np.uint8).reshape(answer[1], answer[0], 3)


def open_with_pillow(path):
    """The picture as convert("RGB") has it, or the reason why Pillow does not read it."""
    try:
        with Image.open(path) as picture:
            return picture.convert("RGB")
    except Exception as error:  # Pillow raises whatever its plugins raise
        return f"{type(error).__name__}: {error}"


class Tally:
    """What was compared, and what was not equal."""

    def __init__(self):
        self.compared = {}
        self.failures = []
        self.notes = []

    def equal(self, kind: str, what: str, ours, theirs):
        self.compared[kind] = self.compared.get(kind, 0) + 1
        if isinstance(ours, str):
            self.failures.append(f"{kind} {what}: {ours}")
        elif ours.shape != theirs.shape:
            self.failures.append(f"{kind} {what}: shape {ours.shape}, Pillow {theirs.shape}")
        elif not np.array_equal(ours, theirs):
            difference = np.abs(ours.astype(np.int32) - theirs.astype(np.int32))
            self.failures.append(
                f"{kind} {what}: {np.count_nonzero(difference)} of {difference.size} values, at most {difference.max()}")


def random_rect(rng: random.Random, width: int, height: int):
    w, h = rng.randint(1, width), rng.randint(1, height)
    return rng.randint(0, width - w), rng.randint(0, height - h), w, h


def compare_resizes(stoker, tally, rng, path, picture, count):
    """Random crops, their resizes and windows of those, from pixels that are known to be equal."""
    for number in range(count):
        crop = random_rect(rng, *picture.size)
        if number == 0:
            crop = (0, 0, *picture.size)
        name = rng.choice(["bilinear", "bicubic"])
        size = rng.choice([(224, 224), (224, 224), (96, 64), (rng.randint(1, 300), rng.randint(1, 300))])
        part = reference.cut(picture, crop)
        wanted = np.asarray(reference.resize(part, size, name))
        what = f"{path.name} crop {crop} to {size} {name}"
        tally.equal("crop + resize", what, stoker.pixels(path, crop, size, name), wanted)
        window = random_rect(rng, *size)
        x, y, w, h = window
        tally.equal("window", f"{what} window {window}", stoker.pixels(path, crop, size, name, window),
                    wanted[y:y + h, x:x + w])
    crop = random_rect(rng, *picture.size)
    tally.equal("crop", f"{path.name} {crop}", stoker.pixels(path, crop), np.asarray(reference.cut(picture, crop)))


def compare_file(stoker, tally, rng, path, count):
    picture = open_with_pillow(path)
    ours = stoker.pixels(path)
    if isinstance(picture, str) or isinstance(ours, str):
        if isinstance(picture, str) != isinstance(ours, str):
            who = "Pillow refuses" if isinstance(picture, str) else "Stoker refuses"
            reason = EXPLAINED.get(path.name, picture if isinstance(picture, str) else ours)
            tally.notes.append(f"{path.name}: {who}: {reason}")
            if isinstance(ours, str) and path.name not in EXPLAINED:
                tally.failures.append(f"whole picture {path.name}: {ours}; Pillow reads it")
        if isinstance(ours, str):
            return
        picture = Image.fromarray(ours)  # Stoker's own pixels are then the resizes' source
    elif not np.array_equal(ours, np.asarray(picture)) and path.name in EXPLAINED:
        tally.notes.append(f"{path.name}: whole pictures differ: {EXPLAINED[path.name]}")
        picture = Image.fromarray(ours)
    else:
        tally.equal("whole picture", path.name, ours, np.asarray(picture))
    compare_resizes(stoker, tally, rng, path, picture, count)


def compare_recipes(stoker, tally, paths):
    """Recipes from bytes to tensors, their random choices included."""
    crop = {"scale": (0.08, 1.0), "ratio": (3 / 4, 4 / 3)}
    recipes = {
        "imagenet_train(224)": [("random_resized_crop", {**crop, "size": (224, 224), "filter": "bilinear"}),
                                ("flip", {"probability": 0.5})],
        "random_resized_crop(96x64, scale=0.35..1, ratio=0.5..2, filter=bicubic) flip(0.25) normalize(imagenet)": [
            ("random_resized_crop", {"scale": (0.35, 1.0), "ratio": (0.5, 2.0), "size": (96, 64), "filter": "bicubic"}),
            ("flip", {"probability": 0.25})],
        "imagenet_eval(224)": [("resize_short", {"short": 256, "filter": "bilinear"}),
                               ("center_crop", {"size": (224, 224)})],
        "flip center_crop(401x399) random_crop(301, padding=9) normalize(imagenet)": [
            ("flip", {"probability": 0.5}), ("center_crop", {"size": (401, 399)}),
            ("random_crop", {"size": (301, 301), "padding": 9})],
    }
    for index, path in enumerate(paths):
        picture = open_with_pillow(path)
        for recipe, steps in recipes.items():
            for epoch in range(2):
                pixels, _ = reference.run_steps(picture, steps, 17, epoch, index + (1 << 33))
                wanted = reference.normalized(pixels)
                answer = stoker.ask("tensor", path, 17, epoch, index + (1 << 33), recipe)
                if not isinstance(answer, str):
                    answer = np.frombuffer(answer[2], np.float32).reshape(3, answer[1], answer[0])
                    answer, wanted = answer.view(np.uint32), wanted.view(np.uint32)  # to the bit
                tally.equal("tensor", f"{path.name} {recipe} epoch {epoch}", answer, wanted)


def djpeg_pixels(path, *jpegtran):
    """What libjpeg-turbo's own programs make of a file, perhaps turned first: a PPM or PGM, or who is absent or refuses."""
    with open(path, "rb") as file:
        data = file.read()
    for command in [["jpegtran", "-perfect", *jpegtran]] * bool(jpegtran) + [["djpeg", "-pnm"]]:
        if not shutil.which(command[0]):
            return f"{command[0]} is absent"
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        if done.returncode != 0:
            return f"{command[0]} refuses it: {done.stderr.decode(errors='replace').strip()}"
        data = done.stdout
    return np.frombuffer(data, np.uint8)


# Orientation → Pillow's turn and jpegtran's.
TURNS = {3: (Image.Transpose.ROTATE_180, ["-rotate", "180"]), 5: (Image.Transpose.TRANSPOSE, ["-transpose"]),
         6: (Image.Transpose.ROTATE_270, ["-rotate", "90"]), 7: (Image.Transpose.TRANSVERSE, ["-transverse"])}
# The inverse transform and the chroma filters round one way, whichever way a picture lies: 4 levels at most were seen.
TURNED_LEVELS = 6


def compare_transcodes(stoker, tally, path, folder):
    """A JPEG made baseline has its pixels; turned it is what jpegtran makes of it, and near Pillow's turned picture."""
    picture = open_with_pillow(path)
    made = stoker.ask("transcode", path, 1)
    if isinstance(picture, str) or isinstance(made, str):
        return
    written = pathlib.Path(folder, "transcoded.jpg")
    written.write_bytes(made[2])
    with Image.open(written) as file:
        if "progressive" in file.info:
            tally.failures.append(f"baseline {path.name}: still progressive")
    tally.equal("baseline by Pillow", path.name, np.asarray(open_with_pillow(written)), np.asarray(picture))
    before = djpeg_pixels(path)
    if not isinstance(before, str):
        tally.equal("baseline by djpeg", path.name, djpeg_pixels(written), before)
    for orientation, (turn, jpegtran) in TURNS.items():
        made = stoker.ask("transcode", path, orientation)
        if isinstance(made, str):  # cut blocks
            continue
        written.write_bytes(made[2])
        what = f"{path.name} {orientation}"
        wanted = np.asarray(picture.transpose(turn)).astype(np.int32)
        ours = np.asarray(open_with_pillow(written)).astype(np.int32)
        near = ours.shape == wanted.shape and np.abs(ours - wanted).max() <= TURNED_LEVELS
        tally.equal("turned by Pillow", what, np.asarray([near]), np.asarray([True]))
        by_jpegtran = djpeg_pixels(path, *jpegtran)
        if not isinstance(by_jpegtran, str):
            tally.equal("turned by jpegtran", what, djpeg_pixels(written), by_jpegtran)


def compare_geometry(stoker, tally, rng):
    """Rectangles of random resized crops against torchvision's formulas, on sizes that no file has."""
    for number in range(3000):
        width = rng.choice([rng.randint(1, 20), rng.randint(100, 700), rng.randint(1, 60000)])
        height = rng.choice([rng.randint(1, 20), rng.randint(100, 700), rng.randint(1, 4000)])
        seed, epoch = rng.getrandbits(64), rng.randint(0, 1000)
        scale, ratio = rng.choice([((0.08, 1.0), (3 / 4, 4 / 3)), ((0.9, 1.0), (0.2, 5.0)), ((0.3, 0.3), (1.0, 1.0))])
        recipe = f"random_resized_crop(224, scale={scale[0]}..{scale[1]}, ratio={ratio[0]!r}..{ratio[1]!r})"
        wanted = reference.random_resized_crop(width, height, scale, ratio, reference.Rng(seed, epoch, number, 0))
        answer = stoker.ask("geometry", width, height, seed, epoch, number, recipe)
        text = "none" if wanted == (0, 0, width, height) else ",".join(map(str, wanted))
        tally.compared["rectangle"] = tally.compared.get("rectangle", 0) + 1
        if isinstance(answer, str) or answer[2].decode().split()[0] != text:
            tally.failures.append(f"rectangle {width}x{height} {recipe} seed {seed} epoch {epoch} index {number}: "
                                  f"{answer}; by the formulas {text}")


def extract(archive: pathlib.Path, folder: str, every: int) -> list[pathlib.Path]:
    """Every n-th regular member of a tar of photos."""
    paths = []
    with tarfile.open(archive) as tar:
        members = [member for member in tar if member.isfile()]
        for member in members[::every]:
            path = pathlib.Path(folder, f"{len(paths):04}-{pathlib.PurePosixPath(member.name).name}")
            path.write_bytes(tar.extractfile(member).read())
            paths.append(path)
    return paths


def main() -> int:
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (data / "odd-images").is_dir():
        print(f"skipped: the sample data is absent: {data}")
        return SKIP
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    Image.MAX_IMAGE_PIXELS = 256_000_000
    stoker, tally, rng, began = Stoker(program), Tally(), random.Random(1), time.monotonic()
    print(f"Pillow {PIL.__version__} with libjpeg-turbo {features.version('libjpeg_turbo')}, "
          f"Stoker with libjpeg-turbo {int(stoker.ask('version')[2]) // 1000000}."
          f"{int(stoker.ask('version')[2]) // 1000 % 1000}.{int(stoker.ask('version')[2]) % 1000}")
    compare_geometry(stoker, tally, rng)
    with tempfile.TemporaryDirectory() as folder:
        photos = extract(data / "imagenet-sample.tar", folder, 9) + extract(data / "small-photos.tar", folder, 30)
        odd = sorted(path for path in (data / "odd-images").iterdir() if path.suffix != ".tsv")
        large = sorted((data / "large-photos").glob("*.jpg"))
        compare_recipes(stoker, tally, photos[:12])
        for path in odd:
            if not path.name.startswith("size-"):  # Pillow would allocate what these claim
                compare_file(stoker, tally, rng, path, 2)
        rng.shuffle(photos)
        done = 0
        for path in photos[:60] + large[::3] + photos[60:]:
            if time.monotonic() - began > BUDGET_S:
                break
            compare_file(stoker, tally, rng, path, 2)
            done += 1
        for path in odd + photos[:10] + [path for path in large if "progressive" in path.name]:
            if not path.name.startswith("size-"):
                compare_transcodes(stoker, tally, path, folder)
    for note in tally.notes:
        print(f"note: {note}")
    for failure in tally.failures[:40]:
        print(f"DIFFERENT: {failure}")
    print(f"{done} photos, {len(odd)} odd images; compared: "
          + ", ".join(f"{count} × {kind}" for kind, count in tally.compared.items())
          + f"; {len(tally.failures)} differ; {time.monotonic() - began:.0f} s")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
