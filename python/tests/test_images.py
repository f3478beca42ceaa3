import pathlib

import pytest

import stoker

np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")


def pillow(path: pathlib.Path) -> "np.ndarray":
    return np.asarray(Image.open(path).convert("RGB"))


def test_pixels_are_pillows(photos: pathlib.Path) -> None:
    for path in sorted(photos.glob("*/*.jpg")):
        ours = np.asarray(stoker.decode(path))
        assert ours.dtype == np.uint8 and ours.shape == pillow(path).shape
        assert np.abs(ours.astype(int) - pillow(path)).max() <= 1, path  # Pillow brings another libjpeg-turbo


def test_crop_and_resize_are_pillows(photos: pathlib.Path) -> None:
    path = sorted(photos.glob("*/*.jpg"))[0]
    whole = Image.fromarray(np.asarray(stoker.decode(path)))
    box = (5, 7, 30, 25)
    wanted = whole.crop((5, 7, 35, 32)).resize((20, 16), Image.Resampling.BILINEAR)
    assert np.array_equal(np.asarray(stoker.decode(path.read_bytes(), crop=box, resize=(20, 16))), np.asarray(wanted))


def test_takes_bytes_views_and_paths(photos: pathlib.Path) -> None:
    path = sorted(photos.glob("*/*.jpg"))[0]
    data = path.read_bytes()
    first = np.asarray(stoker.decode(data))
    for other in (path, str(path), bytearray(data), memoryview(data)):
        assert np.array_equal(np.asarray(stoker.decode(other)), first)


def test_image_info(photos: pathlib.Path) -> None:
    path = sorted(photos.glob("*/*.jpg"))[4]
    info = stoker.image_info(path)
    assert (info.width, info.height) == Image.open(path).size
    assert (info.kind, info.process, info.components) == ("jpeg", "progressive", 3)


def test_array_memory_outlives_its_maker(photos: pathlib.Path) -> None:
    path = sorted(photos.glob("*/*.jpg"))[0]
    array = stoker.decode(path)
    view, copy = np.asarray(array), np.array(array)
    assert view.__array_interface__["data"][0] == array.__array_interface__["data"][0], "no copy"
    assert repr(array) == f"Array(uint8, {view.shape[0]}x{view.shape[1]}x3)"
    assert (array.shape, array.ndim, len(array), array.nbytes, array.dtype) == (view.shape, 3, len(view), view.nbytes, "uint8")
    by_dlpack = np.from_dlpack(array)
    del array
    for _ in range(50):
        stoker.decode(path)  # would take the memory if it were free
    assert np.array_equal(view, copy) and np.array_equal(by_dlpack, copy)


def test_errors_are_pythons_own(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    data = sorted(photos.glob("*/*.jpg"))[0].read_bytes()
    with pytest.raises(FileNotFoundError):
        stoker.decode(tmp_path / "none.jpg")
    with pytest.raises(ValueError) as bad:
        stoker.decode(b"no image at all")
    assert isinstance(bad.value, stoker.Error) and bad.value.code in ("unsupported", "corrupt_data")
    with pytest.raises(MemoryError) as large:
        stoker.decode(data, max_pixels=10)
    assert large.value.code == "out_of_resources"
    with pytest.raises(ValueError, match="crop"):
        stoker.decode(data, crop=(0, 0, 10_000, 10_000))
    with pytest.raises(ValueError, match="'bilinear', 'bicubic'") as named:
        stoker.decode(data, filter="nearest")
    assert (named.value.object, named.value.found) == ("filter", "'nearest'")
    with pytest.raises(TypeError):
        stoker.decode(data, crop="all")


def test_odd_images(shared_data: pathlib.Path) -> None:
    """Each is decoded, or refused by one of the package's errors."""
    refused = decoded = 0
    for path in sorted((shared_data / "odd-images").rglob("*")):
        if not path.is_file() or path.suffix in (".md", ".tsv", ".txt"):
            continue
        try:
            stoker.decode(path, max_pixels=50_000_000)
            decoded += 1
        except stoker.Error:
            refused += 1
    assert decoded > 50 and refused > 5
