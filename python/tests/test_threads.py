"""Many Python threads at once: with a GIL, and on a Python without one, where the import must not bring it back."""

import pathlib
import sys
import sysconfig
import threading
from collections.abc import Callable

import pytest

import stoker

np = pytest.importorskip("numpy")
RECIPE = "random_resized_crop(32) flip(0.5) normalize(imagenet)"
THREADS = 6


def at_once(work: Callable[[int], None]) -> None:
    """work(0), work(1), … in a thread each, begun together; the first failure is raised."""
    failures: list[BaseException] = []
    gate = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            gate.wait()
            work(number)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its GIL")
def test_the_gil_stays_off() -> None:
    assert not sys._is_gil_enabled()


def test_decode_and_read(photos: pathlib.Path, records: pathlib.Path) -> None:
    paths = sorted(photos.glob("*/*.jpg"))
    pixels = [np.array(stoker.decode(path)) for path in paths]
    source = stoker.open(records)
    data = [sample.data for sample in source]

    def work(number: int) -> None:
        for place in range(number, number + len(paths)):
            place %= len(paths)
            assert np.array_equal(np.asarray(stoker.decode(paths[place])), pixels[place])
            assert source[place].data == data[place]
            assert stoker.Recipe(RECIPE).shape == (3, 32, 32)

    at_once(work)


def test_a_loader_each(records: pathlib.Path) -> None:
    def epoch() -> list["np.ndarray"]:
        return [np.array(batch.images) for batch in stoker.Loader(records, recipe=RECIPE, batch_size=5, threads=1)]

    wanted = epoch()

    def work(number: int) -> None:
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(epoch(), wanted, strict=True))

    at_once(work)


def test_one_loader_that_others_look_at(records: pathlib.Path) -> None:
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=2, threads=2)
    seen: list[str] = []
    done = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            try:
                for batch in loader:
                    seen.extend(batch.keys)
            finally:
                done.set()
        while not done.is_set():
            assert loader.state_dict()["dataset_size"] == 42
            assert loader.statistics()["bad_samples"] == 0 and loader.bad_samples() == []

    at_once(work)
    assert len(set(seen)) == 42


def test_one_batch_for_all(records: pathlib.Path) -> None:
    """Arrays of a batch are made, used and given back by all threads."""
    batch = next(iter(stoker.Loader(records, recipe=RECIPE, batch_size=8)))
    wanted, keys = np.array(batch.images), batch.keys

    def work(number: int) -> None:
        for _ in range(50):
            assert np.array_equal(np.from_dlpack(batch.images), wanted) and np.array_equal(np.asarray(batch.images), wanted)
            assert batch.keys == keys and batch.status == ["ok"] * 8 and repr(batch)

    at_once(work)


def test_map_by_many(records: pathlib.Path) -> None:
    plain = [float(np.asarray(batch.images).sum()) for batch in stoker.Loader(records, recipe=RECIPE, batch_size=3)]
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=3)
    assert list(loader.map(lambda batch: float(np.asarray(batch.images).sum()), threads=THREADS, ahead=8)) == plain
