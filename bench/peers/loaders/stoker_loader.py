"""Stoker: one pack of the files as they are, N decode threads.

seek_index: "automatic" (that of the pack) or "off"; pixels: "exact" (Pillow's) or "fast".
"""

import numpy as np
import stoker
from common import BATCH

RECIPES = {
    ("train", "u8"): "random_resized_crop(224) flip(0.5)",
    ("train", "f32"): "imagenet_train(224)",
    ("eval", "u8"): "resize(256) center_crop(224)",
    ("eval", "f32"): "imagenet_eval(224)",
}


def open(data: dict, task: str, dtype: str, workers: int, pixels: str, seek_index: str):
    loader = stoker.Loader(
        data["rec"], recipe=RECIPES[task, dtype], batch_size=BATCH, threads=workers, shuffle=task == "train",
        pixels=pixels, seek_index=seek_index, learn="off",
    )

    def batches():
        for batch in loader:
            yield np.asarray(batch.images)

    return batches
