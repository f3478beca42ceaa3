"""What the oracle expects, written from the published formulas and not from Stoker's code.

Philox 4x32-10 as in "Parallel random numbers: as easy as 1, 2, 3"; RandomResizedCrop, CenterCrop, Resize and RandomCrop
as torchvision's transforms.v2 documents and computes them; pixels by Pillow, numbers by numpy in single precision.
"""

import math

import numpy as np
import PIL
from PIL import Image

MASK = 0xFFFFFFFF
FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


class Rng:
    """The draws of one step on one sample."""

    def __init__(self, seed: int, epoch: int, index: int, step: int):
        self.counter = [step << 16 & MASK, epoch & MASK, index & MASK, index >> 32]
        self.key = (seed & MASK, seed >> 32)
        self.words: list[int] = []

    def next_u32(self) -> int:
        if not self.words:
            a, b, c, d = self.counter
            k0, k1 = self.key
            for _ in range(10):
                p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
                a, b, c, d = q >> 32 ^ b ^ k0, q & MASK, p >> 32 ^ d ^ k1, p & MASK
                k0, k1 = k0 + 0x9E3779B9 & MASK, k1 + 0xBB67AE85 & MASK
            self.words = [a, b, c, d]
            self.counter[0] = self.counter[0] + 1 & MASK
        return self.words.pop(0)

    def next_u64(self) -> int:
        low = self.next_u32()
        return low | self.next_u32() << 32

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        return low + (high - low) * ((self.next_u64() >> 11) * 2.0**-53)

    def below(self, n: int) -> int:
        product = self.next_u64() * n
        while product & (1 << 64) - 1 < ((1 << 64) - n) % n:
            product = self.next_u64() * n
        return product >> 64


def random_resized_crop(width, height, scale, ratio, rng):
    """Rectangle (x, y, w, h)."""
    area = height * width
    log_ratio = math.log(ratio[0]), math.log(ratio[1])
    for _ in range(10):
        target_area = area * rng.uniform(*scale)
        aspect_ratio = math.exp(rng.uniform(*log_ratio))
        w = int(round(math.sqrt(target_area * aspect_ratio)))
        h = int(round(math.sqrt(target_area / aspect_ratio)))
        if 0 < w <= width and 0 < h <= height:
            i = rng.below(height - h + 1)
            j = rng.below(width - w + 1)
            return j, i, w, h
    in_ratio = float(width) / float(height)
    w, h = width, height
    if in_ratio < min(ratio):
        h = int(round(w / min(ratio)))
    elif in_ratio > max(ratio):
        w = int(round(h * max(ratio)))
    return (width - w) // 2, (height - h) // 2, w, h


def center_crop(width, height, w, h):
    """Rectangle (x, y, w, h), negative where the picture is padded."""
    x = -((w - width) // 2) if w > width else int(round((width - w) / 2.0))
    y = -((h - height) // 2) if h > height else int(round((height - h) / 2.0))
    return x, y, w, h


def random_crop(width, height, w, h, padding, rng):
    def begin(length, size):
        if length + 2 * padding < size:
            return -((size - length) // 2)
        return rng.below(length + 2 * padding - size + 1) - padding

    y = begin(height, h)
    return begin(width, w), y, w, h


def resized_size(width, height, short):
    if width <= height:
        return short, int(short * height / width)
    return int(short * width / height), short


def cut(picture: Image.Image, rect) -> Image.Image:
    x, y, w, h = rect
    return picture.crop((x, y, x + w, y + h))  # Pillow fills with zeros what lies outside


def resize(picture: Image.Image, size, name: str) -> Image.Image:
    """As Pillow 13 resizes. Up to Pillow 12 the horizontal pass always was the first of the two."""
    less_rows, less_columns = picture.height - size[1], picture.width - size[0]
    if int(PIL.__version__.split(".")[0]) < 13 and less_rows > 0 and less_rows > 2 * less_columns:
        picture = picture.resize((picture.width, size[1]), FILTERS[name])
    return picture.resize(size, FILTERS[name])


def run_steps(picture: Image.Image, steps, seed: int, epoch: int, index: int):
    """Does steps one by one, each on a whole picture. Returns the pixels and the rectangles that were drawn."""
    drawn = []
    for number, (name, options) in enumerate(steps):
        rng = Rng(seed, epoch, index, number)
        size = picture.size
        if name == "random_resized_crop":
            rect = random_resized_crop(*size, options["scale"], options["ratio"], rng)
            picture = resize(cut(picture, rect), options["size"], options["filter"])
        elif name == "resize_short":
            rect = resized_size(*size, options["short"])
            picture = resize(picture, rect, options["filter"])
        elif name == "center_crop":
            rect = center_crop(*size, *options["size"])
            picture = cut(picture, rect)
        elif name == "random_crop":
            rect = random_crop(*size, *options["size"], options["padding"], rng)
            picture = cut(picture, rect)
        elif name == "flip":
            rect = rng.uniform() < options["probability"]
            if rect:
                picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        drawn.append(rect)
    return picture, drawn


def normalized(picture: Image.Image) -> np.ndarray:
    """ToTensor and Normalize with ImageNet's statistics: 3 x height x width in single precision."""
    mean = np.array(IMAGENET[0], np.float32).reshape(3, 1, 1)
    std = np.array(IMAGENET[1], np.float32).reshape(3, 1, 1)
    planes = np.asarray(picture).transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    return (planes - mean) / std
