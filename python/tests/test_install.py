"""From the sources that go out to a package that loads: built, installed into a folder, used there. A whole build: minutes."""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

pytest.importorskip("scikit_build_core", exc_type=ImportError)
pytest.importorskip("nanobind")
ROOT = pathlib.Path(os.environ.get("STOKER_ROOT", pathlib.Path(__file__).resolve().parents[2]))

PROGRAM = """
import sys
import numpy as np
import stoker

assert stoker.__file__.startswith(sys.argv[1]), stoker.__file__
report = stoker.pack(sys.argv[2], sys.argv[3])
batches = list(stoker.Loader(sys.argv[3], recipe="imagenet_train(32)", batch_size=7))
print(len(batches), np.asarray(batches[0].images).shape)
"""


def call(*command: object, cwd: pathlib.Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=3400, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_sdist_to_wheel_to_loader(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    backend = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    call(sys.executable, "-c", backend, tmp_path, cwd=ROOT)
    (packed,) = tmp_path.glob("stoker-*.tar.gz")
    with tarfile.open(packed) as tar:
        tar.extractall(tmp_path, filter="data")
    packed.unlink()
    (source,) = tmp_path.glob("stoker-*")

    call(sys.executable, "-m", "pip", "wheel", "--no-cache-dir", "--no-deps", "--no-build-isolation", "--no-index", "-w", tmp_path, source, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < 8 << 20
    place = tmp_path / "place"
    call(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", place, wheel, cwd=tmp_path)
    assert "jpeg" in call(place / "bin/stoker", "--help", cwd=tmp_path).lower()
    path = os.pathsep.join([str(place), *(entry for entry in sys.path if "site-packages" in entry)])
    told = call(sys.executable, "-c", PROGRAM, place, photos, tmp_path / "x.rec", cwd=tmp_path, PYTHONPATH=path)
    assert told.split("\n")[0] == "6 (7, 3, 32, 32)"
