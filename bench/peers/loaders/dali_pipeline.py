"""DALI on the CPU, N threads: `image_random_crop` decodes the window alone, resize is linear and antialiased."""

import numpy as np
from common import BATCH, MEAN, SHORT, SIDE, STD, photos
from nvidia.dali import fn, pipeline_def, types


@pipeline_def
def pipeline(paths: list[str], task: str, dtype: str):
    encoded, _ = fn.readers.file(files=paths, random_shuffle=task == "train", initial_fill=len(paths), name="reader")
    if task == "train":
        images = fn.decoders.image_random_crop(
            encoded, device="cpu", output_type=types.RGB, adjust_orientation=False, random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3])
        images = fn.resize(images, size=[SIDE, SIDE], interp_type=types.INTERP_LINEAR, antialias=True)
        mirror = fn.random.coin_flip(probability=0.5)
    else:
        images = fn.decoders.image(encoded, device="cpu", output_type=types.RGB, adjust_orientation=False)
        images = fn.resize(images, resize_shorter=SHORT, interp_type=types.INTERP_LINEAR, antialias=True)
        mirror = 0
    if dtype == "f32":
        return fn.crop_mirror_normalize(
            images, crop=[SIDE, SIDE], mirror=mirror, dtype=types.FLOAT, output_layout="CHW",
            mean=[255 * value for value in MEAN], std=[255 * value for value in STD])
    return fn.crop_mirror_normalize(images, crop=[SIDE, SIDE], mirror=mirror, dtype=types.UINT8, output_layout="HWC")


def open(data: dict, task: str, dtype: str, workers: int):
    paths = photos(data["folder"])
    built = pipeline(paths, task, dtype, batch_size=BATCH, num_threads=workers, device_id=None)
    built.build()

    def batches():
        for _ in range(-(-len(paths) // BATCH)):
            yield np.asarray(built.run()[0].as_tensor())  # the last is filled from the next epoch: it counts, for it is work

    return batches
