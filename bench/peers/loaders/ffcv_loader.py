"""FFCV over a .beton that its own writer makes: JPEGs encoded anew at quality 90, 4:2:0, so a third fewer bytes to decode.

Its decoders crop, and resize by OpenCV's area filter. N threads of its own.
"""

import os

import numpy as np
from common import BATCH, MEAN, SIDE, SHORT, STD, photos
from ffcv.fields import RGBImageField
from ffcv.fields.decoders import CenterCropRGBImageDecoder, RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, ToTensor, ToTorchImage
from ffcv.writer import DatasetWriter
from PIL import Image


class Photos:
    def __init__(self, folder: str) -> None:
        self.paths = photos(folder)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int):
        return (Image.open(self.paths[i]).convert("RGB"),)


def open(data: dict, task: str, dtype: str, workers: int):
    beton = data["beton"]
    if not os.path.exists(beton):
        field = RGBImageField(write_mode="jpg", jpeg_quality=90)
        writer = DatasetWriter(beton + ".partial", {"image": field}, num_workers=1, page_size=1 << 25)
        writer.from_indexed_dataset(Photos(data["folder"]))
        os.replace(beton + ".partial", beton)
    steps = ([RandomResizedCropRGBImageDecoder((SIDE, SIDE)), RandomHorizontalFlip()] if task == "train"
             else [CenterCropRGBImageDecoder((SIDE, SIDE), ratio=SIDE / SHORT)])
    if dtype == "f32":
        steps.append(NormalizeImage(np.array(MEAN) * 255, np.array(STD) * 255, np.float32))
    steps += [ToTensor(), ToTorchImage()]
    order = OrderOption.RANDOM if task == "train" else OrderOption.SEQUENTIAL
    loader = Loader(beton, batch_size=BATCH, num_workers=workers, order=order, os_cache=True, drop_last=False,
                    pipelines={"image": steps})

    def batches():
        for (images,) in loader:
            yield images.numpy()

    return batches
