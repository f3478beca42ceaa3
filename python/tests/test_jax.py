import gc
import pathlib

import pytest

jax = pytest.importorskip("jax", exc_type=ImportError)
np = pytest.importorskip("numpy")

import stoker  # noqa: E402

RECIPE = "random_resized_crop(32) flip(0.5) normalize(imagenet)"


def address(array: stoker.Array) -> int:
    return array.__array_interface__["data"][0]


@pytest.fixture
def cpu() -> "jax.Device":
    return jax.devices("cpu")[0]


@pytest.mark.parametrize("size", [1, 5, 8])
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize("dtype", ["u8", "f16", "f32"])
def test_images_are_not_copied(records: pathlib.Path, cpu: "jax.Device", size: int, layout: str, dtype: str) -> None:
    """JAX copies what is not aligned to 64 bytes: batches are, of any size."""
    recipe = stoker.Recipe("resize(20x16)").with_tensor(dtype=dtype, layout=layout)
    for batch in stoker.Loader(records, recipe=recipe, batch_size=size, threads=2, last_batch="drop"):
        images = jax.device_put(jax.dlpack.from_dlpack(batch.images), cpu)
        assert images.unsafe_buffer_pointer() == address(batch.images)
        assert images.dtype == batch.images.dtype and images.shape == batch.images.shape
        assert np.array_equal(images, np.asarray(batch.images))
        assert jax.dlpack.from_dlpack(batch.images, copy=False).unsafe_buffer_pointer() == address(batch.images)


def test_bfloat16(records: pathlib.Path) -> None:
    halves, whole = (
        next(iter(stoker.Loader(records, recipe=f"resize(20x16) normalize(imagenet) tensor({dtype}, nchw)", batch_size=4, shuffle=False)))
        for dtype in ("bf16", "f32"))
    images = jax.dlpack.from_dlpack(halves.images, copy=False)  # an error, if it needed one
    assert images.dtype == jax.numpy.bfloat16
    assert np.array_equal(images, np.asarray(whole.images).astype(images.dtype))


def test_labels(records: pathlib.Path) -> None:
    batch = next(iter(stoker.Loader(records, recipe=RECIPE, batch_size=8)))
    assert np.array_equal(jax.dlpack.from_dlpack(batch.labels), np.asarray(batch.labels))


def test_memory_stays_under_a_jitted_step(records: pathlib.Path) -> None:
    """Steps are dispatched and the loop goes on: each still sees its own batch."""
    mean = jax.jit(lambda images: (images ** 2).mean(axis=(1, 2, 3)))
    loader = stoker.Loader(records, recipe=RECIPE, batch_size=7, threads=2)
    results, wanted, held = [], [], []
    for _ in range(3):
        for batch in loader:
            held.append(jax.dlpack.from_dlpack(batch.images))
            results.append(mean(held[-1]))
            wanted.append((np.asarray(batch.images) ** 2).mean(axis=(1, 2, 3)))
    del batch
    loader.close()
    gc.collect()
    assert all(np.allclose(ours, theirs, rtol=1e-5) for ours, theirs in zip(results, wanted))  # sums in another order
    assert all(np.allclose((np.asarray(images) ** 2).mean(axis=(1, 2, 3)), theirs) for images, theirs in zip(held, wanted))
