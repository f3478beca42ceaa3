"""Batches as torch tensors, and a Dataset for DataLoader."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.utils.data import Dataset as TorchDataset
from torch.utils.dlpack import from_dlpack

from . import _core
from .images import Pixels
from .loader import Batch as CoreBatch
from .loader import Loader as CoreLoader
from .loader import recipe_of
from .paths import StrPath
from .recipe import Recipe
from .records import CheckBytes, Records, SeekIndex

__all__ = ["Batch", "Dataset", "Loader"]

IGNORED_LABEL = -100  # what torch's cross_entropy leaves out


class Batch(NamedTuple):
    """images, labels: tensors, on the loader's device. Unpacks as DataLoader's batches do."""

    images: torch.Tensor
    labels: torch.Tensor

    def __repr__(self) -> str:
        def told(tensor: torch.Tensor) -> str:
            return f"{str(tensor.dtype).removeprefix('torch.')} {'x'.join(map(str, tensor.shape))} on {tensor.device}"

        return f"Batch(images={told(self.images)}, labels={told(self.labels)})"


class Loader(CoreLoader):
    """stoker.Loader whose batches are torch tensors: `for images, labels in loader`.

    Takes every option of stoker.Loader, and:
    device: where tensors go; default: they stay where they were decoded. On a CUDA device they are copied from pinned memory on a stream of
    their own, one batch ahead.
    channels_last: images in torch.channels_last memory format, without a copy.
    normalize_on_device: uint8 batches leave the loader, a quarter of the bytes; they become `dtype`, normalised as the recipe says, on the device.
    rank, world_size: default: RANK and WORLD_SIZE of the environment, as torchrun sets them.
    ignored_label: the label of samples that are not to be learned from (bad ones, padding); -100 is what cross_entropy leaves out.

    >>> loader = stoker.torch.Loader("train.rec", recipe="imagenet_train(224)", batch_size=16)
    >>> for images, labels in loader:
    ...     loss = torch.nn.functional.cross_entropy(torch.zeros(len(images), 3), labels)

    last: the stoker.Batch behind the tensors that were given last, with its keys, indices and statuses.
    """

    last: CoreBatch | None

    def __init__(
        self,
        source: StrPath | Records,
        *,
        recipe: str | Recipe | Any = "imagenet_train(224)",
        device: torch.device | str | None = None,
        channels_last: bool = False,
        normalize_on_device: bool = False,
        dtype: torch.dtype = torch.float32,
        rank: int | None = None,
        world_size: int | None = None,
        ignored_label: int = IGNORED_LABEL,
        **options: Any,
    ) -> None:
        recipe = recipe_of(recipe)
        self._normalize: tuple[torch.Tensor, torch.Tensor] | None = None
        if normalize_on_device:
            recipe, mean, std = recipe.without_normalize()
            self._normalize = torch.tensor(mean).view(3, 1, 1), torch.tensor(std).view(3, 1, 1)
        if channels_last:
            recipe = recipe.with_tensor(layout="nhwc")
        super().__init__(
            source, recipe=recipe, rank=_from_environment("RANK", rank, 0), world_size=_from_environment("WORLD_SIZE", world_size, 1), **options)
        self.device = None if device is None else torch.device(device)
        self.channels_last = channels_last
        self._dtype = dtype
        self.ignored_label = ignored_label
        self.last = None
        self._state: dict[str, int] | None = None  # behind the batch that was given, where one is fetched ahead of it

    def _tensors(self, batch: CoreBatch) -> Batch:
        images, labels = from_dlpack(batch.images), from_dlpack(batch.labels)
        if self.channels_last:
            images = images.permute(0, 3, 1, 2)
        if labels.dtype == torch.int64 and self.ignored_label != -1:
            labels = labels.masked_fill(labels == -1, self.ignored_label)
        return Batch(images, labels)

    def __iter__(self) -> Iterator[Batch]:  # type: ignore[override]
        if self.device is not None and self.device.type == "cuda":
            yield from self._ahead_on_device(self.device)
            return
        for batch in super().__iter__():
            tensors = self._tensors(batch)
            self.last = batch
            yield self._normalized(tensors if self.device is None else Batch(*(part.to(self.device) for part in tensors)))

    def _normalized(self, batch: Batch) -> Batch:
        if self._normalize is None:
            return batch
        mean, std = (part.to(batch.images.device) for part in self._normalize)
        return Batch(((batch.images.float() / 255 - mean) / std).to(self._dtype), batch.labels)

    def _ahead_on_device(self, device: torch.device) -> Iterator[Batch]:
        stream = torch.cuda.Stream(device)
        waiting: tuple[CoreBatch, Batch, dict[str, int]] | None = None
        try:
            for batch in super().__iter__():
                host = self._tensors(batch)
                with torch.cuda.stream(stream):
                    moved = Batch(*(part.pin_memory().to(device, non_blocking=True) for part in host))
                ready, waiting = waiting, (batch, moved, super().state_dict())
                if ready is not None:
                    yield self._handed_over(ready, stream, device)
            if waiting is not None:
                yield self._handed_over(waiting, stream, device)
        finally:
            self._state = None

    def _handed_over(self, ready: tuple[CoreBatch, Batch, dict[str, int]], stream: torch.cuda.Stream, device: torch.device) -> Batch:
        current = torch.cuda.current_stream(device)
        current.wait_stream(stream)
        self.last, tensors, self._state = ready
        for tensor in tensors:
            tensor.record_stream(current)
        return self._normalized(tensors)

    def state_dict(self) -> dict[str, int]:
        return super().state_dict() if self._state is None else dict(self._state)


def _from_environment(name: str, given: int | None, default: int) -> int:
    return given if given is not None else int(os.environ.get(name, default))


class Dataset(TorchDataset[tuple[torch.Tensor, int]]):
    """A map-style dataset for torch's DataLoader: (image, label) of any source, decoded and transformed in one go in C++.

    For code that has to keep its DataLoader, its samplers or its own collate; stoker.Loader is faster still, since it needs no worker processes.
    Random choices are drawn from (seed, epoch, index): call set_epoch(epoch) before each epoch, also with workers that persist.

    >>> dataset = stoker.torch.Dataset("train.rec", recipe="imagenet_train(224)")
    >>> loader = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True, num_workers=2)
    >>> [len(images) for images, labels in loader]
    [16, 16, 10]

    Errors: of a sample: CorruptDataError, UnsupportedError, IOFailedError, naming its key.
    """

    def __init__(
        self,
        source: StrPath | Records,
        *,
        recipe: str | Recipe | Any = "imagenet_train(224)",
        seed: int = 0,
        pixels: Pixels = "exact",
        max_pixels: int = _core.default_max_pixels,
        root: StrPath | None = None,
        classes: StrPath | None = None,
        index_dir: StrPath | None = None,
        seek_index: SeekIndex = "automatic",
        check_bytes: CheckBytes = "first",
    ) -> None:
        self.records = source if isinstance(source, Records) else Records(
            source, root=root, classes=classes, index_dir=index_dir, seek_index=seek_index, check_bytes=check_bytes)
        self.recipe = recipe_of(recipe)
        self.seed = seed
        self._pixels, self._max_pixels = pixels, max_pixels
        self._epoch = torch.zeros(1, dtype=torch.int64)
        self._epoch.share_memory_()  # workers see what the parent sets
        self._transformer = self._make_transformer()

    def _make_transformer(self) -> _core.Transformer:
        return _core.Transformer(self.recipe._core, self._pixels, self._max_pixels)

    @property
    def classes(self) -> list[str]:
        return self.records.classes

    def set_epoch(self, epoch: int) -> None:
        self._epoch[0] = epoch

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        """(image of recipe.shape, label; -1 where the source has none)."""
        sample = self.records[index]
        place = index + len(self) if index < 0 else index
        try:
            image = self._transformer.run(sample.data, sample.seek_points, self.seed, int(self._epoch[0]), place)
        except Exception as error:
            error.args = (f"{sample.key}: {error}",)
            raise
        return from_dlpack(image), int(sample.labels[0]) if sample.labels else -1

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        del state["_transformer"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._transformer = self._make_transformer()

    def __repr__(self) -> str:
        return f"Dataset({self.records}, {self.recipe})"


