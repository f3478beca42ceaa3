"""webdataset over four tar shards, Pillow, torchvision's v2 transforms, N persistent workers."""

import torch
import webdataset
from common import BATCH
from torchvision.transforms import v2
from torchvision_loader import steps


def first(sample: tuple) -> torch.Tensor:
    return sample[0]


def open(data: dict, task: str, dtype: str, workers: int):
    transform = steps(task, dtype)
    transform = v2.Compose([*transform.transforms[:2], v2.PILToTensor(), *transform.transforms[2:]])
    dataset = webdataset.WebDataset(data["tars"], shardshuffle=4 if task == "train" else False, workersplitter=webdataset.split_by_worker)
    if task == "train":
        dataset = dataset.shuffle(1000)
    dataset = dataset.decode("pilrgb").to_tuple("jpg;jpeg").map(first).map(transform).batched(BATCH, collation_fn=torch.stack)
    loader = webdataset.WebLoader(dataset, batch_size=None, num_workers=workers, persistent_workers=True)
    return lambda: iter(loader)
