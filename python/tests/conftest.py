"""What the tests share: photos of many kinds, made by Pillow, in folders, records and lists."""

from __future__ import annotations

import gc
import importlib
import io
import os
import pathlib
import random
import sys
import types
from collections.abc import Callable

import pytest

Image = pytest.importorskip("PIL.Image")

# torchvision's compiled operators may be for another build of torch, and then it does not even import. Nothing here calls them.
OPERATORS = """
import torch

library = torch.library.Library("torchvision", "DEF")
for operator in ("nms", "qnms"):
    library.define(operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
"""
_operators: dict[str, object] = {}  # what OPERATORS made: torch forgets a library that nobody holds


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


@pytest.fixture
def growth() -> Callable[[Callable[[], None]], tuple[int, int, int]]:
    """Threads, descriptors and resident bytes that 200 calls of a function leave, behind 20 that warm up."""
    def figures() -> tuple[int, int, int]:
        gc.collect()
        resident = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), resident

    def measure(go: Callable[[], None]) -> tuple[int, int, int]:
        for _ in range(20):
            go()
        before = figures()
        for _ in range(200):
            go()
        threads, files, resident = (after - was for after, was in zip(figures(), before))
        return threads, files, resident

    return measure


@pytest.fixture(scope="session")
def shared_data() -> pathlib.Path:
    """The sample data of the tests; those that need it are skipped where it is absent."""
    path = pathlib.Path(os.environ.get("STOKER_DATA") or os.devnull)
    if not (path / "README.md").exists():
        pytest.skip("no sample data (STOKER_DATA)")
    return path


@pytest.fixture(scope="session")
def torchvision() -> types.ModuleType:
    """torchvision, if it is there."""
    pytest.importorskip("torch", exc_type=ImportError)
    try:
        return pytest.importorskip("torchvision", exc_type=ImportError)
    except RuntimeError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        exec(OPERATORS, _operators)  # noqa: S102
        return importlib.import_module("torchvision")


@pytest.fixture(scope="session")
def python_path(tmp_path_factory: pytest.TempPathFactory, torchvision: types.ModuleType) -> str:
    """PYTHONPATH of programs that import torchvision."""
    path = [entry for entry in sys.path if entry]
    if _operators:
        folder = tmp_path_factory.mktemp("site")
        (folder / "sitecustomize.py").write_text(OPERATORS)
        path.insert(0, str(folder))
    return os.pathsep.join(path)
