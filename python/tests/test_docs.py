"""Every example of the docstrings, of README.md and of docs/python.md runs, in a folder with photos/, train.rec and photo.jpg."""

import doctest
import importlib
import os
import pathlib
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import stoker

np = pytest.importorskip("numpy")
ROOT = pathlib.Path(os.environ.get("STOKER_ROOT", pathlib.Path(__file__).resolve().parents[2]))


@pytest.fixture
def place(photos: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    shutil.copytree(photos, tmp_path / "photos")
    shutil.copy(photos / "ant/01.jpg", tmp_path / "photo.jpg")
    monkeypatch.chdir(tmp_path)
    stoker.pack("photos", "train.rec")
    yield tmp_path


@pytest.mark.parametrize("name", ["recipe", "images", "records", "packing", "loader", "torch"])
def test_docstrings(place: pathlib.Path, name: str) -> None:
    names: dict[str, Any] = {"stoker": stoker, "np": np}
    if name == "torch":
        names["torch"] = pytest.importorskip("torch", exc_type=ImportError)
    module = importlib.import_module(f"stoker.{name}")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    examples = 0
    for test in doctest.DocTestFinder().find(module, globs=names):
        examples += runner.run(test).attempted
    assert examples > 0 and runner.summarize().failed == 0


def blocks_of(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages(place: pathlib.Path, page: str) -> None:
    blocks = blocks_of(page)
    assert blocks
    names: dict[str, Any] = {"__name__": "page"}
    for number, block in enumerate(blocks):
        for package in ("torch", "torchvision", "jax"):
            if re.search(rf"(?:import|from) {package}\b|stoker\.torch", block):
                pytest.importorskip(package if f"{package}" in block else "torch", exc_type=ImportError)
        exec(compile(block, f"{page}, block {number}", "exec"), names)  # noqa: S102
