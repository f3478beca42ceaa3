"""OpenCV in Python threads, its own threads off. filter: "area" (antialiased where it reduces) or "linear" (not)."""

import random

import cv2
import numpy as np
from common import SIDE, batches_of, centre, in_threads, normalized, photos, random_window, resized_size

FILTERS = {"area": cv2.INTER_AREA, "linear": cv2.INTER_LINEAR}
DECODE = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
cv2.setNumThreads(0)


def read(path: str) -> np.ndarray:
    return cv2.imdecode(np.fromfile(path, np.uint8), DECODE)


def train_image(path: str, how: int) -> np.ndarray:
    image = read(path)
    x, y, w, h = random_window(image.shape[1], image.shape[0])
    pixels = cv2.resize(image[y : y + h, x : x + w], (SIDE, SIDE), interpolation=how)
    return cv2.flip(pixels, 1) if random.random() < 0.5 else pixels


def eval_image(path: str, how: int) -> np.ndarray:
    image = read(path)
    width, height = resized_size(image.shape[1], image.shape[0])
    x, y = centre(width, height)
    return cv2.resize(image, (width, height), interpolation=how)[y : y + SIDE, x : x + SIDE]


def open(data: dict, task: str, dtype: str, workers: int, filter: str):
    paths, one = photos(data["folder"]), train_image if task == "train" else eval_image

    def make(batch: list[str]) -> np.ndarray:
        images = np.stack([one(path, FILTERS[filter]) for path in batch])
        return images if dtype == "u8" else normalized(images)

    return lambda: in_threads(make, batches_of(paths, task), workers)
