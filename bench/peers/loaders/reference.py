"""What evaluation's pixels are held against: Pillow decodes the whole picture, resizes it whole (bilinear, antialiased), and cuts."""

import numpy as np
from common import BATCH, SIDE, batches_of, centre, photos, resized_size
from PIL import Image


def image_of(path: str) -> np.ndarray:
    image = Image.open(path).convert("RGB")
    width, height = resized_size(*image.size)
    x, y = centre(width, height)
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR).crop((x, y, x + SIDE, y + SIDE)))


def open(data: dict, task: str, dtype: str, workers: int):
    assert (task, dtype) == ("eval", "u8")
    paths = photos(data["folder"])
    return lambda: (np.stack([image_of(path) for path in batch]) for batch in batches_of(paths, task))
