"""Pillow, or Pillow-SIMD in its place, in Python threads: it lets the GIL go in decoding and resizing.

`resize(box=…)` cuts and resizes in one. draft: libjpeg's own scaled decode comes first, where the window is twice as large as needed or
more: the window is chosen from the header, so training can have it too.
"""

import random

import numpy as np
from common import SIDE, batches_of, centre, in_threads, normalized, photos, random_window, resized_size
from PIL import Image


def eval_window(width: int, height: int) -> tuple[float, float, float, float]:
    """Of the source, the part that becomes the centre: fractions of pixels are fine."""
    resized = resized_size(width, height)
    x, y = centre(*resized)
    across, down = width / resized[0], height / resized[1]
    return x * across, y * down, SIDE * across, SIDE * down


def load(path: str, window, draft: bool) -> np.ndarray:
    image = Image.open(path)
    x, y, w, h = window(*image.size)
    across = down = 1.0
    if draft:
        width, height = image.size
        image.draft("RGB", (int(width * SIDE / w), int(height * SIDE / h)))
        across, down = image.width / width, image.height / height
    box = (x * across, y * down, (x + w) * across, (y + h) * down)
    return np.asarray(image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR, box=box))


def open(data: dict, task: str, dtype: str, workers: int, draft: bool):
    paths, window = photos(data["folder"]), random_window if task == "train" else eval_window

    def one(path: str) -> np.ndarray:
        pixels = load(path, window, draft)
        return pixels[:, ::-1] if task == "train" and random.random() < 0.5 else pixels

    def make(batch: list[str]) -> np.ndarray:
        images = np.stack([one(path) for path in batch])
        return images if dtype == "u8" else normalized(images)

    return lambda: in_threads(make, batches_of(paths, task), workers)
