"""Grain around OpenCV's functions, N read threads in one process."""

import grain.python as grain
from common import BATCH, normalized, photos
from opencv_threads import FILTERS, eval_image, train_image


def open(data: dict, task: str, dtype: str, workers: int, filter: str):
    paths, one = photos(data["folder"]), train_image if task == "train" else eval_image
    epoch = 0

    def batches():
        nonlocal epoch
        epoch += 1
        dataset = grain.MapDataset.source(paths)
        if task == "train":
            dataset = dataset.shuffle(seed=epoch)
        dataset = dataset.map(lambda path: one(path, FILTERS[filter])).batch(BATCH)
        if dtype == "f32":
            dataset = dataset.map(normalized)
        return iter(dataset.to_iter_dataset(grain.ReadOptions(num_threads=workers, prefetch_buffer_size=workers + 2)))

    return batches
