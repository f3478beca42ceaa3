import gc
import multiprocessing
import os
import pathlib
import pickle
import threading
from collections.abc import Callable

import pytest

import stoker

np = pytest.importorskip("numpy")
RECIPE = "random_resized_crop(32) flip(0.5) normalize(imagenet)"


def copies(loader: stoker.Loader) -> list[tuple["np.ndarray", list[str]]]:
    return [(np.array(batch.images), batch.keys) for batch in loader]


def same(ours: list, theirs: list) -> bool:
    return len(ours) == len(theirs) and all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(ours, theirs))


def test_batches(photos: pathlib.Path) -> None:
    with stoker.Loader(photos, recipe=RECIPE, batch_size=8, threads=2) as loader:
        assert len(loader) == 6 and loader.classes == ["ant", "bee", "cat"]
        seen: list[str] = []
        for step, batch in enumerate(loader):
            images, labels = batch
            assert images.shape == (len(batch), 3, 32, 32) and images.dtype == "float32"
            assert np.asarray(labels).dtype == np.int64
            assert [f"{loader.classes[label]}" for label in np.asarray(labels)] == [key.split("/")[0] for key in batch.keys]
            assert set(batch.status) == {"ok"} and not np.asarray(batch.status_codes).any()
            assert (batch.epoch, batch.step) == (0, step)
            seen += batch.keys
        assert len(batch) == 2 and repr(batch) == "Batch(epoch 0, step 5, images=Array(float32, 2x3x32x32), labels=Array(int64, 2))"
        assert sorted(seen) == sorted(f"{path.parent.name}/{path.name}" for path in photos.glob("*/*.jpg"))


def test_the_same_batches_for_any_number_of_threads(records: pathlib.Path) -> None:
    loaders = [stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=threads) for threads in (1, 3)]
    first = [copies(loaders[0]), copies(loaders[0])]
    assert same(first[0], copies(loaders[1])) and same(first[1], copies(loaders[1]))
    assert not same(first[0], first[1]), "another epoch, another order"


def test_break_goes_to_the_next_epoch(records: pathlib.Path) -> None:
    whole = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=2)
    epochs = [copies(whole) for _ in range(3)]
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=2)
    for number, _ in enumerate(loader):
        if number == 2:
            break
    assert same(copies(loader), epochs[1])
    loader.set_epoch(0)
    assert loader.epoch == 0 and same(copies(loader), epochs[0])
    loader.set_epoch(2)
    assert same(copies(loader), epochs[2])


@pytest.mark.parametrize("steps", [0, 1, 4, 9, 12])
def test_resume_anywhere(records: pathlib.Path, steps: int) -> None:
    whole = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=2)
    both = copies(whole) + copies(whole)
    first = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=2)
    seen, state = [], first.state_dict()
    while len(seen) < steps:
        for batch in first:
            seen.append((np.array(batch.images), batch.keys))
            state = pickle.loads(pickle.dumps(first.state_dict()))
            if len(seen) == steps:
                break
    second = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=1)
    second.load_state_dict(state)
    while len(seen) < len(both):
        more = copies(second)
        assert more, "behind an epoch's last batch the next epoch begins"
        seen += more
    assert same(seen, both)


def test_a_state_of_something_else_is_refused(records: pathlib.Path) -> None:
    loader = stoker.Loader(records, recipe=RECIPE)
    with pytest.raises(ValueError, match="dataset"):
        loader.load_state_dict({**loader.state_dict(), "dataset_size": 7})
    with pytest.raises(ValueError, match="seed"):
        loader.load_state_dict({**loader.state_dict(), "seed": 7})
    with pytest.raises(ValueError, match="a loader's state has"):
        loader.load_state_dict({"epoch": 1})


def test_ranks_put_together_are_one(records: pathlib.Path) -> None:
    whole = [key for batch in stoker.Loader(records, recipe=RECIPE, batch_size=8, threads=2) for key in batch.keys]
    ranks = [stoker.Loader(records, recipe=RECIPE, batch_size=4, threads=1, rank=rank, world_size=2) for rank in (0, 1)]
    together = [key for batches in zip(*ranks) for batch in batches for key in batch.keys]
    assert together == whole


def test_memory_of_a_batch_stays(records: pathlib.Path) -> None:
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=2)
    held, wanted = [], []
    for batch in loader:
        held.append(np.asarray(batch.images))
        wanted.append(np.array(batch.images))
    del batch
    loader.close()
    gc.collect()
    assert all(np.array_equal(a, b) for a, b in zip(held, wanted))


def test_dtypes_and_layouts(records: pathlib.Path) -> None:
    for dtype, name in (("u8", "uint8"), ("f16", "float16"), ("f32", "float32"), ("bf16", "bfloat16")):
        batch = next(iter(stoker.Loader(records, recipe=f"resize(20x16) tensor({dtype}, nhwc)", batch_size=3, threads=1)))
        assert (batch.images.shape, batch.images.dtype) == ((3, 16, 20, 3), name)
        if dtype == "bf16":
            with pytest.raises(AttributeError, match="NumPy has no bfloat16; take torch.from_dlpack"):
                batch.images.__array_interface__
        else:
            assert np.asarray(batch.images).mean() > 1


def test_several_labels(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    list_file = tmp_path / "x.lst"
    list_file.write_text("0\t0.5\t2\tant/00.jpg\n1\t1.5\t3\tbee/00.jpg\n")
    options = {"root": photos, "recipe": RECIPE, "batch_size": 2, "shuffle": False, "label_width": 2}
    batch = next(iter(stoker.Loader(list_file, label_dtype="float32", **options)))
    assert np.asarray(batch.labels).tolist() == [[0.5, 2], [1.5, 3]]
    with pytest.raises(ValueError, match="label_dtype='float32'"):
        next(iter(stoker.Loader(list_file, **options)))


def test_bad_samples(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for name in ("good.jpg", "worse.jpg"):
        (tmp_path / "photos/a").mkdir(parents=True, exist_ok=True)
        (tmp_path / "photos/a" / name).write_bytes((photos / "ant/00.jpg").read_bytes())
    (tmp_path / "photos/a/worse.jpg").write_text("no image")
    options = {"recipe": RECIPE, "batch_size": 2, "shuffle": False, "max_bad_share": 1.0, "threads": 1}
    loader = stoker.Loader(tmp_path / "photos", **options)
    batch = next(iter(loader))
    assert batch.status == ["ok", "bad"] and np.asarray(batch.labels).tolist() == [0, -1]
    assert [stoker.STATUSES[code] for code in np.asarray(batch.status_codes)] == batch.status
    assert not np.asarray(batch.images)[1].any()
    (bad,) = loader.bad_samples()
    assert bad.key == "a/worse.jpg" and "worse.jpg" in bad.container and bad.reason
    assert loader.statistics()["bad_samples"] == 1
    batch = next(iter(stoker.Loader(tmp_path / "photos", bad_sample="substitute", **options)))
    assert batch.status == ["ok", "substituted"] and batch.keys == ["a/good.jpg"] * 2
    with pytest.raises(ValueError, match="worse.jpg"):
        list(stoker.Loader(tmp_path / "photos", bad_sample="raise", **options))


def test_options_are_checked(records: pathlib.Path) -> None:
    for options, told in (
        ({"recipe": "resize(8x8) flop"}, "flop"),
        ({"recipe": "normalize(imagenet)"}, "size"),
        ({"batch_size": 0}, "batch"),
        ({"rank": 2, "world_size": 2}, "rank"),
        ({"last_batch": "lose"}, "'keep', 'drop', 'pad'"),
        ({"label_dtype": "int8"}, "'int64', 'float32'"),
        ({"learn": "all"}, "'off', 'crops', 'full'"),
        ({"seek_index": "on"}, "'automatic', 'off'"),
    ):
        with pytest.raises(ValueError, match=told):
            stoker.Loader(records, **options)
    with pytest.raises(TypeError):
        stoker.Loader(records, batch_sise=3)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(stoker.Loader(records, recipe=RECIPE))


def test_closed(records: pathlib.Path) -> None:
    with stoker.Loader(records, recipe=RECIPE) as loader:
        iterator = iter(loader)
        batch = next(iterator)
    with pytest.raises(ValueError, match="closed"):
        next(iterator)
    assert np.asarray(batch.images).shape[0] == len(batch)
    loader.close()


def test_a_fork_is_told(records: pathlib.Path) -> None:
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=5)
    next(iter(loader))
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def child() -> None:
        try:
            next(iter(loader))
        except ValueError as error:
            theirs.send(str(error))
        theirs.close()

    process = context.Process(target=child)
    process.start()
    assert ours.poll(30) and "not in this fork" in ours.recv()
    process.join(30)
    assert process.exitcode == 0
    assert len(list(loader)) == len(loader), "the parent's goes on"


def test_start_and_break_leak_nothing(records: pathlib.Path, growth: Callable[[Callable[[], None]], tuple[int, int, int]]) -> None:
    """Of 200 starts nothing is left: no thread, no descriptor, and of their batches of 0.7 MB not one each, which would be 140 MB."""
    def go() -> None:
        for number, _ in enumerate(stoker.Loader(records, recipe="random_resized_crop(112) normalize(imagenet)", batch_size=5, threads=2)):
            if number == 2:
                break

    threads, files, resident = growth(go)
    assert (threads, files) == (0, 0)
    assert resident < 64 << 20  # allocators come and go by some 30


def test_python_goes_on_while_it_waits(records: pathlib.Path) -> None:
    """The GIL is free in every wait: another thread counts on."""
    ticks, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(3):
        list(stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=1))
    stop.set()
    thread.join()
    assert ticks[0] > 1000


def test_sampler(records: pathlib.Path) -> None:
    places = [5, 5, 0, 41, 7, 7, 7]
    options = {"recipe": RECIPE, "batch_size": 3, "threads": 2}
    loader = stoker.Loader(records, sampler=places, **options)
    assert len(loader) == 3
    epochs = [[(np.array(batch.images), np.asarray(batch.indices).tolist()) for batch in loader] for _ in range(2)]
    assert [index for _, indices in epochs[0] for index in indices] == places
    first, second = epochs[0][0][0][:2]
    assert not np.array_equal(first, second), "a repeat has a crop of its own"
    assert not np.array_equal(first, epochs[1][0][0][0]), "another epoch, another crop"

    loader = stoker.Loader(records, sampler=lambda epoch: range(epoch, 42, 4 - epoch), **options)
    assert len(loader) == 4
    seen = [[index for batch in loader for index in np.asarray(batch.indices).tolist()] for _ in range(3)]
    assert seen == [list(range(epoch, 42, 4 - epoch)) for epoch in range(3)]
    loader.set_epoch(1)
    assert [index for batch in loader for index in np.asarray(batch.indices).tolist()] == seen[1]
    with pytest.raises(ValueError, match="sample 42; allowed: 0 to 41"):
        stoker.Loader(records, sampler=[1, 42], **options)


@pytest.mark.parametrize("steps", [7, 10])
def test_a_sampler_resumes(records: pathlib.Path, steps: int) -> None:
    """In the midst of an epoch, and behind the last of its seven batches."""
    def order(epoch: int) -> list[int]:
        return [(7 * place + epoch) % 42 for place in range(20)]

    def make() -> stoker.Loader:
        return stoker.Loader(records, sampler=order, recipe=RECIPE, batch_size=3, threads=2)

    whole = make()
    both = copies(whole) + copies(whole)
    first, seen = make(), []
    if steps > len(first):
        seen += copies(first)
    for batch in first:
        seen.append((np.array(batch.images), batch.keys))
        if len(seen) == steps:
            break
    state = first.state_dict()
    second = make()
    second.load_state_dict(state)
    assert state["epoch"] == (0 if steps == 7 else 1) and same(seen + copies(second), both)


def test_another_resolution(records: pathlib.Path) -> None:
    loader = stoker.Loader(records, recipe="random_resized_crop(16)", batch_size=20, seed=2)
    assert {batch.images.shape[2:] for batch in loader} == {(16, 16)}
    loader.set_recipe("random_resized_crop(24)")
    batches = copies(loader)
    assert loader.epoch == 2 and {images.shape[2:] for images, _ in batches} == {(24, 24)}
    other = stoker.Loader(records, recipe="random_resized_crop(24)", batch_size=20, seed=2)
    other.set_epoch(1)
    assert same(copies(other), batches)


def test_map(records: pathlib.Path) -> None:
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=2)
    plain = copies(loader)
    loader.set_epoch(0)
    names: set[str] = set()

    def step(batch: stoker.Batch) -> tuple["np.ndarray", list[str]]:
        names.add(threading.current_thread().name)
        return np.array(batch.images) + 1, batch.keys

    mapped = loader.map(step, threads=3, ahead=2)
    assert len(mapped) == len(loader)
    results, states = [], []
    for result in mapped:
        results.append(result)
        states.append(mapped.state_dict())
    assert same([(images - 1, keys) for images, keys in results], [(images + 1 - 1, keys) for images, keys in plain])
    assert all(name.startswith("stoker-map") for name in names)
    resumed = stoker.Loader(records, recipe=RECIPE, batch_size=5).map(step)
    resumed.load_state_dict(states[3])
    assert same(list(resumed), results[4:])
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        for _ in loader.map(lambda batch: 1 // 0):
            pass
    for _ in loader.map(step):
        break
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("stoker-map"):
            thread.join(10)
    assert threading.active_count() <= before
    with pytest.raises(ValueError, match="allowed: 1 or more"):
        loader.map(step, threads=0)
