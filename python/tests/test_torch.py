import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
np = pytest.importorskip("numpy")

import stoker  # noqa: E402
import stoker.torch  # noqa: E402

RECIPE = "random_resized_crop(32) flip(0.5) normalize(imagenet)"


def test_batches_are_tensors(photos: pathlib.Path) -> None:
    loader = stoker.torch.Loader(photos, recipe=RECIPE, batch_size=8, threads=2)
    plain = stoker.Loader(photos, recipe=RECIPE, batch_size=8, threads=1)
    for batch, other in zip(loader, plain):
        images, labels = batch
        assert images.dtype == torch.float32 and labels.dtype == torch.int64
        assert np.array_equal(images.numpy(), np.asarray(other.images)) and labels.tolist() == np.asarray(other.labels).tolist()
        assert loader.last is not None and loader.last.keys == other.keys
        assert images.data_ptr() == loader.last.images.__array_interface__["data"][0], "no copy"
    assert repr(batch).startswith("Batch(images=float32 2x3x32x32 on cpu, labels=int64 2 on cpu")
    moved = next(iter(stoker.torch.Loader(photos, recipe=RECIPE, batch_size=8, device="cpu")))
    assert moved.images.device.type == "cpu"


def test_channels_last(records: pathlib.Path) -> None:
    last = next(iter(stoker.torch.Loader(records, recipe=RECIPE, batch_size=4, channels_last=True)))
    first = next(iter(stoker.torch.Loader(records, recipe=RECIPE, batch_size=4)))
    assert last.images.is_contiguous(memory_format=torch.channels_last) and torch.equal(last.images, first.images)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.bfloat16, torch.float32])
def test_dtypes(records: pathlib.Path, dtype: torch.dtype) -> None:
    name = {torch.uint8: "u8", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}[dtype]
    batches = [next(iter(stoker.torch.Loader(records, recipe=f"resize(20x16) tensor({kind}, nchw)", batch_size=4, shuffle=False)))
               for kind in (name, "f32")]
    assert batches[0].images.dtype == dtype
    assert (batches[0].images.float() - batches[1].images).abs().max() <= 0.5


def test_bad_samples_are_not_learned_from(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/good.jpg").write_bytes((photos / "ant/00.jpg").read_bytes())
    (tmp_path / "a/worse.jpg").write_text("no image")
    options = {"recipe": RECIPE, "batch_size": 2, "shuffle": False, "max_bad_share": 1.0}
    images, labels = next(iter(stoker.torch.Loader(tmp_path, **options)))
    assert labels.tolist() == [0, -100]
    assert torch.isfinite(torch.nn.functional.cross_entropy(torch.zeros(2, 3), labels))
    assert next(iter(stoker.torch.Loader(tmp_path, ignored_label=-1, **options))).labels.tolist() == [0, -1]


def test_ranks_of_the_environment(records: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [key for batch in stoker.Loader(records, recipe=RECIPE, batch_size=8) for key in batch.keys]
    seen: list[list[list[str]]] = []
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        loader = stoker.torch.Loader(records, recipe=RECIPE, batch_size=4)
        seen.append([loader.last.keys for _ in loader])
    assert [key for both in zip(*seen) for keys in both for key in keys] == whole


def test_a_training_goes_on_where_it_stopped(records: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Loss by loss the same, through a checkpoint in the middle of an epoch."""

    def begin() -> tuple[torch.nn.Module, torch.optim.Optimizer, stoker.torch.Loader]:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 3))
        loader = stoker.torch.Loader(records, recipe=RECIPE, batch_size=6, threads=2)
        return model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), loader

    def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, loader: stoker.torch.Loader, epochs: range, stop: int = -1) -> list[float]:
        losses: list[float] = []
        for _ in epochs:
            for images, labels in loader:
                loss = torch.nn.functional.cross_entropy(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                if len(losses) == stop:
                    return losses
        return losses

    whole = train(*begin(), range(2))
    model, optimizer, loader = begin()
    first = train(model, optimizer, loader, range(2), stop=10)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "loader": loader.state_dict()}, tmp_path / "x.pt")
    model, optimizer, loader = begin()
    saved = torch.load(tmp_path / "x.pt")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    loader.load_state_dict(saved["loader"])
    assert first + train(model, optimizer, loader, range(loader.epoch, 2)) == whole


def test_dataset(records: pathlib.Path) -> None:
    dataset = stoker.torch.Dataset(records, recipe=RECIPE, seed=3)
    loader = stoker.Loader(records, recipe=RECIPE, seed=3, batch_size=1, shuffle=False)
    assert len(dataset) == 42 and dataset.classes == ["ant", "bee", "cat"] and "42 samples" in repr(dataset)
    for epoch in range(2):
        dataset.set_epoch(epoch)
        for index, batch in enumerate(loader):
            image, label = dataset[index]
            assert np.array_equal(image.numpy(), np.asarray(batch.images)[0]) and label == np.asarray(batch.labels)[0]
    assert torch.equal(dataset[-1][0], dataset[41][0])
    with pytest.raises(IndexError):
        dataset[42]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_dataset_in_workers(records: pathlib.Path, method: str) -> None:
    """Workers that persist see each new epoch."""
    dataset = stoker.torch.Dataset(records, recipe=RECIPE)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=6, num_workers=2, multiprocessing_context=method, persistent_workers=True)
    for epoch in range(2):
        dataset.set_epoch(epoch)
        images = torch.cat([images for images, _ in loader])
        assert torch.equal(images, torch.stack([dataset[index][0] for index in range(len(dataset))]))


def test_dataset_names_a_bad_sample(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/worse.jpg").write_text("no image")
    with pytest.raises(ValueError, match="a/worse.jpg"):
        stoker.torch.Dataset(tmp_path, recipe=RECIPE)[0]
    assert pickle.loads(pickle.dumps(stoker.torch.Dataset(tmp_path, recipe=RECIPE))).recipe == stoker.Recipe(RECIPE)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_cuda(records: pathlib.Path) -> None:
    plain = list(stoker.torch.Loader(records, recipe=RECIPE, batch_size=8))
    loader = stoker.torch.Loader(records, recipe=RECIPE, batch_size=8, device="cuda")
    for step, (ours, theirs) in enumerate(zip(loader, plain)):
        assert ours.images.is_cuda and torch.equal(ours.images.cpu(), theirs.images) and torch.equal(ours.labels.cpu(), theirs.labels)
        assert loader.state_dict()["samples_done"] in ((step + 1) * 8, 42, 0)


def test_torchrun(records: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """One and two ranks, put together: the same samples in the same order."""
    program = tmp_path / "rank.py"
    program.write_text(textwrap.dedent(f"""
        import json, os, sys
        sys.path[:0] = {sys.path!r}
        import stoker.torch
        ranks = int(os.environ["WORLD_SIZE"])
        loader = stoker.torch.Loader({str(records)!r}, recipe={RECIPE!r}, batch_size=8 // ranks)
        steps = [(loader.last.keys, images.double().sum().item()) for images, _ in loader]
        with open(os.path.join({str(tmp_path)!r}, f"{{ranks}}.{{os.environ['RANK']}}.json"), "w") as file:
            json.dump([keys for keys, _ in steps], file)
    """))
    import json

    for ranks in (1, 2):
        done = subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", str(program)],
            capture_output=True, text=True, timeout=200, env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
        assert done.returncode == 0, done.stderr
    (one,) = (json.loads(path.read_text()) for path in tmp_path.glob("1.*.json"))
    two = [json.loads((tmp_path / f"2.{rank}.json").read_text()) for rank in (0, 1)]
    assert [keys for both in zip(*two) for keys in both] == [half for keys in one for half in (keys[: (len(keys) + 1) // 2], keys[(len(keys) + 1) // 2 :])]


def test_start_and_break_leak_nothing(records: pathlib.Path, growth: Callable[[Callable[[], None]], tuple[int, int, int]]) -> None:
    """As test_loader's, with tensors that share the batches' memory."""
    def go() -> None:
        loader = stoker.torch.Loader(records, recipe="random_resized_crop(112) normalize(imagenet)", batch_size=5, threads=2, channels_last=True)
        for number, (images, _) in enumerate(loader):
            assert images.shape == (5, 3, 112, 112)
            if number == 2:
                break

    threads, files, resident = growth(go)
    assert (threads, files) == (0, 0) and resident < 64 << 20


def test_normalize_on_device(records: pathlib.Path) -> None:
    options = {"batch_size": 5, "shuffle": False, "device": "cpu"}
    for recipe in ("imagenet_train(32)", "resize(20x16) normalize(mean=0.5/0.4/0.3, std=0.1/0.2/0.3)"):
        here = stoker.torch.Loader(records, recipe=recipe, **options)
        there = stoker.torch.Loader(records, recipe=recipe, normalize_on_device=True, channels_last=True, **options)
        assert there.recipe.dtype == "u8"
        for ours, theirs in zip(here, there):
            assert theirs.images.dtype == torch.float32 and (ours.images - theirs.images).abs().max() < 1e-5
    half = next(iter(stoker.torch.Loader(records, recipe="imagenet_eval(32)", normalize_on_device=True, dtype=torch.bfloat16, **options)))
    assert half.images.dtype == torch.bfloat16
    with pytest.raises(ValueError, match="no normalize"):
        stoker.torch.Loader(records, recipe="resize(20x16)", normalize_on_device=True)


def test_torch_samplers(records: pathlib.Path) -> None:
    sampler = torch.utils.data.WeightedRandomSampler(torch.arange(42.0), 30, generator=torch.Generator().manual_seed(0))
    loader = stoker.torch.Loader(records, recipe=RECIPE, batch_size=10, sampler=sampler)
    assert sum(len(images) for images, _ in loader) == 30
