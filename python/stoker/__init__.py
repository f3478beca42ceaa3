"""Stoker keeps GPUs fed: packs image data, and loads it faster than anybody.

    import stoker

    for batch in stoker.Loader("train.rec", recipe="imagenet_train(224)", batch_size=64):
        images = torch.from_dlpack(batch.images)

decode, image_info: one image · open, Records, Sample: any source · pack, index: make it fast · Recipe, Loader, Batch: batches ·
stoker.torch: batches as torch tensors, and a Dataset · stoker.errors: what is raised.
"""

from . import errors
from ._core import Array
from .errors import Error
from .images import ImageInfo, decode, image_info
from .loader import STATUSES, BadRecord, Batch, Loader
from .packing import PackReport, Shard, pack
from .recipe import Recipe
from .records import IndexReport, Records, Sample, index, open

__version__ = "0.1.0"
__all__ = [
    "STATUSES", "Array", "BadRecord", "Batch", "Error", "ImageInfo", "IndexReport", "Loader", "PackReport", "Recipe", "Records", "Sample",
    "Shard", "decode", "errors", "image_info", "index", "open", "pack",
]
