"""decode, image_info: the bytes of one image."""

from __future__ import annotations

import dataclasses
import os
from typing import Literal

from . import _core
from ._core import Array
from .paths import StrPath

Filter = Literal["bilinear", "bicubic"]
Pixels = Literal["exact", "fast"]
Box = tuple[int, int, int, int]


@dataclasses.dataclass(frozen=True)
class ImageInfo:
    """What the header of an image tells. Units: pixels, in stored orientation."""

    kind: str  # "jpeg", "png", "webp", or one that is recognised and not read: "gif", "bmp", "tiff", "pnm"
    process: str  # of a JPEG: "baseline", "progressive", …
    width: int
    height: int
    components: int
    sampling: str  # of a JPEG: "2x2 1x1 1x1"
    restart_interval: int  # in MCUs; 0: none
    orientation: int  # EXIF, 1 to 8


def bytes_of(data: bytes | bytearray | memoryview | StrPath) -> bytes:
    """The bytes themselves, or of the file at a path."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    with open(os.fspath(data), "rb") as file:
        return file.read()


def decode(
    data: bytes | bytearray | memoryview | StrPath,
    *,
    crop: Box | None = None,
    resize: tuple[int, int] | None = None,
    window: Box | None = None,
    filter: Filter = "bilinear",
    pixels: Pixels = "exact",
    max_pixels: int = _core.default_max_pixels,
) -> Array:
    """RGB pixels of a JPEG, PNG or WebP, given as bytes or by path; only those that are asked for are decoded.

    Shape: height × width × 3, uint8; equal to Pillow's convert("RGB"), crop and resize, to the byte, with pixels="exact".
    crop: (x, y, width, height) inside the image; resize: the crop to (width, height), antialiased; window: a part of the result.
    EXIF orientation is not applied; image_info tells it.

    >>> image = stoker.decode("photo.jpg", crop=(10, 20, 30, 20), resize=(15, 10))
    >>> image
    Array(uint8, 10x15x3)
    >>> np.asarray(image).shape
    (10, 15, 3)

    Errors: FileNotFoundError; CorruptDataError, UnsupportedError (a kind that is not read), OutOfResourcesError (more than max_pixels),
    InvalidArgumentError (a crop outside the image).
    """
    return _core.decode(bytes_of(data), crop, resize, window, filter, pixels, max_pixels)


def image_info(data: bytes | bytearray | memoryview | StrPath) -> ImageInfo:
    """What the header of an image tells. Errors: CorruptDataError, FileNotFoundError."""
    return ImageInfo(**_core.image_info(bytes_of(data)))
