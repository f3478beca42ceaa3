"""What the tests share: photos of many kinds, made by Pillow, in folders, records and lists."""

from __future__ import annotations

import io
import os
import pathlib
import random

import pytest

Image = pytest.importorskip("PIL.Image")


def picture(rng: random.Random, width: int, height: int) -> Image.Image:
    """Soft shapes with some noise: compresses like a photo."""
    small = Image.frombytes("RGB", (8, 6), rng.randbytes(8 * 6 * 3))
    noise = Image.frombytes("RGB", (width, height), rng.randbytes(width * height * 3))
    return Image.blend(small.resize((width, height), Image.Resampling.BICUBIC), noise, 0.1)


def jpeg(image: Image.Image, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


@pytest.fixture(scope="session")
def photos(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """photos/CLASS/NN.jpg: 3 classes of 14 photos of all sizes, samplings and processes."""
    folder, rng = tmp_path_factory.mktemp("data") / "photos", random.Random(1)
    for label, name in enumerate(["ant", "bee", "cat"]):
        (folder / name).mkdir(parents=True)
        for number in range(14):
            image = picture(rng, rng.randrange(40, 300), rng.randrange(40, 200))
            data = jpeg(image, quality=rng.randrange(60, 96), subsampling=rng.choice([0, 1, 2]), progressive=number % 5 == 4)
            (folder / name / f"{number:02}.jpg").write_bytes(data)
    return folder


@pytest.fixture(scope="session")
def records(photos: pathlib.Path) -> pathlib.Path:
    """The photos in a .rec, with a seek index."""
    import stoker

    path = photos.parent / "photos.rec"
    stoker.pack(photos, path)
    return path


@pytest.fixture(scope="session")
def shared_data() -> pathlib.Path:
    """The sample data of the tests; those that need it are skipped where it is absent."""
    path = pathlib.Path(os.environ.get("STOKER_DATA", ""))
    if not (path / "README.md").exists():
        pytest.skip("no sample data (STOKER_DATA)")
    return path
