"""Every program of examples/ trains a few steps on real photos, and says how fast and how long it waited."""

from __future__ import annotations

import importlib.util
import logging
import math
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import types

import pytest

ROOT = pathlib.Path(os.environ.get("STOKER_ROOT", pathlib.Path(__file__).resolve().parents[2]))
LINE = re.compile(r"^epoch (\d+): loss (\S+), (\S+) images/s, (\S+)% of the time waiting for data(.*)$", re.MULTILINE)
OPTIONS = ["--batch-size", "12", "--size", "32"]
A_CLASS, CLASSES = 12, 5


@pytest.fixture(scope="module")
def flowers(shared_data: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """train/CLASS and val/CLASS with a few photos each: 5 steps of 12."""
    folder = tmp_path_factory.mktemp("flowers")
    with tarfile.open(shared_data / "small-photos.tar") as tar:
        taken: dict[str, int] = {}
        for member in tar:
            parent = str(pathlib.PurePath(member.name).parent)
            taken[parent] = taken.get(parent, 0) + member.isfile()
            if member.isfile() and taken[parent] <= A_CLASS:
                tar.extract(member, folder, filter="data")
    assert len(list(folder.glob("train/*/*.jpg"))) == len(list(folder.glob("val/*/*.jpg"))) == A_CLASS * CLASSES
    return folder


def run(example: str, *arguments: object, path: str = os.pathsep.join(filter(None, sys.path))) -> list[tuple[int, float, float, float, str]]:
    """(epoch, loss, images/s, percent of waiting, what else) of each line that it printed."""
    # Threads that spin for the next piece of work would keep the decoders of a small machine from theirs.
    environment = {**os.environ, "PYTHONPATH": path, "OMP_WAIT_POLICY": "PASSIVE"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example), *map(str, arguments)], capture_output=True, text=True, timeout=400, env=environment)
    assert done.returncode == 0, done.stderr
    lines = [(int(epoch), float(loss), float(rate), float(waiting), rest) for epoch, loss, rate, waiting, rest in LINE.findall(done.stdout)]
    for _, loss, rate, waiting, _ in lines:
        assert math.isfinite(loss) and rate > 0 and 0 <= waiting <= 100, done.stdout
    return lines


@pytest.mark.parametrize("loader", ["torchvision", "stoker", "dataset"])
def test_torch_resnet(flowers: pathlib.Path, loader: str, python_path: str) -> None:
    lines = run("torch_resnet.py", flowers / "train", "--loader", loader, "--steps", 3, *OPTIONS, path=python_path)
    assert [epoch for epoch, *_ in lines] == [0, 1]


def test_finetune_torchvision(flowers: pathlib.Path, tmp_path: pathlib.Path, torchvision: types.ModuleType, python_path: str) -> None:
    import torch

    torch.save(torchvision.models.mobilenet_v3_small().state_dict(), tmp_path / "weights.pt")
    lines = run("finetune_torchvision.py", flowers / "train", "--val", flowers / "val", "--model", "mobilenet_v3_small",
                "--weights", tmp_path / "weights.pt", "--steps", 2, *OPTIONS, path=python_path)
    assert [epoch for epoch, *_ in lines] == [0, 1]
    assert all(re.fullmatch(r", [\d.]+% of \S+val known", rest) for *_, rest in lines)
    assert len(run("finetune_torchvision.py", flowers / "train", "--epochs", 1, "--steps", 2, *OPTIONS, path=python_path)) == 1


def test_jax_train(flowers: pathlib.Path) -> None:
    pytest.importorskip("jax", exc_type=ImportError)
    lines = run("jax_train.py", flowers / "train", "--epochs", 6, *OPTIONS)
    assert [epoch for epoch, *_ in lines] == list(range(6))
    assert lines[-1][1] < lines[0][1], "it learns"


def test_lightning_resnet(flowers: pathlib.Path, tmp_path: pathlib.Path, lightning: types.ModuleType, python_path: str) -> None:
    arguments = [flowers / "train", "--checkpoints", tmp_path / "checkpoints", "--epochs", 3, *OPTIONS]
    assert [epoch for epoch, *_ in run("lightning_resnet.py", *arguments, "--steps", 12, path=python_path)] == [0, 1, 2]
    assert [epoch for epoch, *_ in run("lightning_resnet.py", *arguments, path=python_path)] == [2], "behind step 10"


@pytest.fixture(scope="module")
def lightning(torchvision: types.ModuleType) -> types.ModuleType:
    module: types.ModuleType = pytest.importorskip("lightning", exc_type=ImportError)
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    return module


@pytest.mark.parametrize("stop", [3, 5, 9, "epoch"])
def test_lightning_goes_on_to_the_bit(
    flowers: pathlib.Path, tmp_path: pathlib.Path, lightning: types.ModuleType, stop: int | str
) -> None:
    """Stopped in the middle or at the end of an epoch: the same losses on the same batches as without a stop."""
    specification = importlib.util.spec_from_file_location("lightning_resnet", ROOT / "examples/lightning_resnet.py")
    assert specification and specification.loader
    example = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(example)
    import torch

    class Losses(lightning.Callback):
        def __init__(self) -> None:
            self.seen: list[tuple[int, int, float, list[str]]] = []

        def on_train_batch_end(self, trainer, module, outputs, batch, step):  # type: ignore[no-untyped-def]
            self.seen.append((trainer.current_epoch, step, outputs["loss"].item(), trainer.train_dataloader.last.keys))

    def train(every: int | str, **options: int) -> list[tuple[int, int, float, list[str]]]:
        torch.manual_seed(0)
        losses, last = Losses(), tmp_path / "last.ckpt"
        when = {"every_n_epochs": 1, "save_on_train_epoch_end": True} if every == "epoch" else {"every_n_train_steps": every}
        keep = example.ModelCheckpoint(tmp_path, filename="last", enable_version_counter=False, **when)
        trainer = lightning.Trainer(
            callbacks=[losses, keep] if every else [losses], logger=False, enable_checkpointing=bool(every), enable_progress_bar=False,
            enable_model_summary=False, **{"max_epochs": 3, **options})
        trainer.fit(example.ResNet(CLASSES), example.Photos(str(flowers / "train"), 32, 12, 2), ckpt_path=last if last.exists() else None)
        return losses.seen

    whole = train(0)
    assert len(whole) == 15
    first = train(stop, **{"max_epochs": 1} if stop == "epoch" else {"max_steps": stop})
    assert len(first) == (5 if stop == "epoch" else stop)
    assert first + train(stop) == whole
