"""What the loaders share that leave crops and threads to their users."""

import collections
import math
import random
from concurrent.futures import ThreadPoolExecutor

from photos import photos  # noqa: F401 (for the loaders)

BATCH = 64
SIDE, SHORT = 224, 256  # of a crop; of the short side in evaluation
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def random_window(width: int, height: int) -> tuple[int, int, int, int]:
    """left, top, width, height of RandomResizedCrop: 8 to 100 % of the area, 3:4 to 4:3, ten tries, else the centre."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1.0)
        aspect = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, width - w), random.randint(0, height - h), w, h
    short = min(width, height)
    return (width - short) // 2, (height - short) // 2, short, short


def resized_size(width: int, height: int) -> tuple[int, int]:
    """With a short side of 256; the long one is cut, as torchvision and Pillow users have it."""
    if width <= height:
        return SHORT, int(SHORT * height / width)
    return int(SHORT * width / height), SHORT


def centre(width: int, height: int) -> tuple[int, int]:
    return round((width - SIDE) / 2), round((height - SIDE) / 2)


def batches_of(items: list, task: str) -> list[list]:
    """Of an epoch: in a new order for training."""
    if task == "train":
        items = random.sample(items, len(items))
    return [items[i : i + BATCH] for i in range(0, len(items), BATCH)]


def in_threads(make_batch, batches: list[list], workers: int):
    """make_batch(batch) of each, in order, by `workers` threads, two batches ahead of the reader."""
    with ThreadPoolExecutor(workers) as pool:
        ahead: collections.deque = collections.deque()
        for batch in batches:
            ahead.append(pool.submit(make_batch, batch))
            if len(ahead) > workers + 2:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def normalized(images):
    """uint8 [n, h, w, 3] → float32 [n, 3, h, w]: (x / 255 - mean) / std, as one multiplication and one addition."""
    import numpy as np

    scale = (1 / (255 * np.array(STD))).astype(np.float32)[:, None, None]
    offset = (-np.array(MEAN) / np.array(STD)).astype(np.float32)[:, None, None]
    result = np.empty((len(images), 3, SIDE, SIDE), np.float32)
    np.multiply(images.transpose(0, 3, 1, 2), scale, out=result)
    result += offset
    return result
