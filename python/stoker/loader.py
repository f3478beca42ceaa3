"""Loader: a stream of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, Union

from . import _core
from ._core import Array
from .images import Pixels
from .paths import StrPath
from .recipe import Recipe
from .records import CheckBytes, Records, SeekIndex

if TYPE_CHECKING:
    from .mapping import Mapped

# Places in the source, for every epoch, or a function of the epoch.
Sampler = Union[Iterable[int], Callable[[int], Iterable[int]]]
LabelDType = Literal["int64", "float32"]
T = TypeVar("T")
LastBatch = Literal["keep", "drop", "pad"]
BadSample = Literal["raise", "skip", "substitute"]
Learn = Literal["off", "crops", "full"]
Status = Literal["ok", "warned", "bad", "substituted", "padding"]
STATUSES: tuple[Status, ...] = ("ok", "warned", "bad", "substituted", "padding")


class BadRecord(NamedTuple):
    """A sample that could not be read or decoded."""

    container: str
    offset: int
    key: str
    reason: str


class Batch:
    """One batch: its memory stays untouched as long as it, or an array made of it, lives.

    images: Array of len(batch) × recipe.shape, without a copy.
    labels: Array: int64 of len(batch), or float32 of len(batch) × label_width. -1: a bad or padding sample.
    Unpacks as DataLoader's batches do: `images, labels = batch`.
    """

    __slots__ = ("_core", "images", "labels")

    def __init__(self, core: _core.Batch, label_dtype: LabelDType) -> None:
        self._core = core
        self.images: Array = core.images
        self.labels: Array = core.class_labels if label_dtype == "int64" else core.labels

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Array]:
        return iter((self.images, self.labels))

    @property
    def keys(self) -> list[str]:
        return self._core.keys

    @property
    def status(self) -> list[Status]:
        """Of each sample: "ok", "warned" (decoded with a complaint), "bad" (zeros), "substituted", "padding"."""
        return self._core.statuses

    @property
    def status_codes(self) -> Array:
        """The same as uint8: places in STATUSES."""
        return self._core.status_codes

    @property
    def indices(self) -> Array:
        """uint64: each sample's place in the source."""
        return self._core.indices

    @property
    def epoch(self) -> int:
        return self._core.epoch

    @property
    def step(self) -> int:
        """Within the epoch, from 0."""
        return self._core.step

    def __repr__(self) -> str:
        return f"Batch(epoch {self.epoch}, step {self.step}, images={self.images}, labels={self.labels})"


class Loader:
    """Batches of a source, decoded by threads in C++: the same bytes for any number of threads or ranks.

    Iterating it goes through one epoch; the next time through the next. `break` leaves the epoch: the next loop begins the one behind it.

    >>> loader = stoker.Loader("train.rec", recipe="imagenet_train(224)", batch_size=16)
    >>> for batch in loader:
    ...     images, labels = np.asarray(batch.images), np.asarray(batch.labels)
    >>> batch
    Batch(epoch 0, step 2, images=Array(float32, 10x3x224x224), labels=Array(int64, 10))

    source: whatever stoker.open takes, or what it gave.
    recipe: text, a Recipe, or a torchvision transform that a recipe can express.
    sampler: in place of the shuffle: indices, gone through anew each epoch (a list, or one of torch's samplers), or a function of the epoch
    that gives them; repeats are drawn each with its own crop. A loader resumes only with a sampler that gives the same again. Nothing is
    learned then: stoker.index first.
    batch_size: per rank. threads: decode workers; 0: tuned within the CPUs that may be used.
    last_batch: "keep" (smaller), "drop", "pad" (flagged). bad_sample: "skip" (zeros, label -1, flagged), "substitute", "raise".
    max_bad_share: of the samples met; more stop the run. label_dtype: "int64": the first label as a class; "float32": all label_width of them.
    learn: which seek points are kept for the epochs to come: "off", "crops", "full".
    Errors: InvalidArgumentError, and as stoker.open. In a loop: the first error of any worker. After that it stands at its end.
    Threads: one consumer at a time. A fork has no part of it: it says so.
    """

    def __init__(
        self,
        source: StrPath | Records,
        *,
        recipe: str | Recipe | Any = "imagenet_train(224)",
        batch_size: int = 32,
        shuffle: bool = True,
        sampler: Sampler | None = None,
        seed: int = 0,
        threads: int = 0,
        read_threads: int = 0,
        rank: int = 0,
        world_size: int = 1,
        last_batch: LastBatch = "keep",
        bad_sample: BadSample = "skip",
        max_bad_share: float = 0.01,
        max_pixels: int = _core.default_max_pixels,
        pixels: Pixels = "exact",
        batches_ahead: int = 3,
        read_ahead_bytes: int = 32 << 20,
        label_width: int = 1,
        label_dtype: LabelDType = "int64",
        learn: Learn = "crops",
        publish_counters: bool = True,
        root: StrPath | None = None,
        classes: StrPath | None = None,
        index_dir: StrPath | None = None,
        seek_index: SeekIndex = "automatic",
        check_bytes: CheckBytes = "first",
    ) -> None:
        if label_dtype not in ("int64", "float32"):
            raise ValueError(f"label_dtype {label_dtype!r}; allowed: 'int64', 'float32'")
        self.records = source if isinstance(source, Records) else Records(
            source, root=root, classes=classes, index_dir=index_dir, seek_index=seek_index, check_bytes=check_bytes)
        self.recipe = recipe_of(recipe)
        self.batch_size = batch_size
        self._label_dtype: LabelDType = label_dtype
        self._sampler = sampler
        self._options: tuple[Any, ...] = (
            batch_size, shuffle and sampler is None, seed, threads, read_threads, rank, world_size, last_batch, bad_sample, max_bad_share,
            max_pixels, pixels, batches_ahead, read_ahead_bytes, label_width, learn, publish_counters)
        self._sampled_epoch = 0  # whose order self._core has, where there is a sampler
        self._core = self._make_core(0)
        self._in_epoch = False  # some batches of this epoch were given, and it did not end
        self._restored = False  # and no loop was begun since

    def _make_core(self, epoch: int) -> _core.Loader:
        records = self.records
        if self._sampler is not None:
            records = records.select(self._sampler(epoch) if callable(self._sampler) else self._sampler)
        core = _core.Loader(records._core, str(self.recipe), *self._options)
        if epoch:
            core.set_epoch(epoch)
        return core

    def _renew(self, epoch: int) -> None:
        """Another order, or recipe: another pipeline."""
        self._core.close()
        self._core = self._make_core(epoch)
        self._sampled_epoch, self._in_epoch = epoch, False

    def set_recipe(self, recipe: str | Recipe | Any) -> None:
        """Another recipe, of another size too, from the next loop on; a loop that was left begins the next epoch."""
        self.recipe = recipe_of(recipe)
        self._renew(self.epoch + (1 if self._in_epoch else 0))

    @property
    def classes(self) -> list[str]:
        """Names of the classes by label; [] where nothing tells."""
        return self.records.classes

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to, from 0."""
        return self._core.epoch

    def set_epoch(self, epoch: int) -> None:
        """The next loop goes through `epoch` from its beginning."""
        if self._sampler is not None and epoch != self._sampled_epoch:
            self._renew(epoch)
        self._core.set_epoch(epoch)
        self._in_epoch = self._restored = False

    def __len__(self) -> int:
        """Batches an epoch; the same on every rank."""
        return self._core.steps_per_epoch

    def __iter__(self) -> Iterator[Batch]:
        if self._in_epoch:
            self.set_epoch(self.epoch + 1)
        elif self._sampler is not None and self.epoch != self._sampled_epoch:
            self._renew(self.epoch)
        core = self._core.next()
        if core is None and self._restored:  # the state was taken behind its epoch's last batch
            if self._sampler is not None:
                self._renew(self.epoch)
            core = self._core.next()
        self._restored = False
        while core is not None:
            self._in_epoch = True
            yield Batch(core, self._label_dtype)
            core = self._core.next()
        self._in_epoch = False

    def state_dict(self) -> dict[str, int]:
        """Where the loader stands, behind the last batch that it gave: plain numbers, for a checkpoint."""
        return self._core.state()

    def load_state_dict(self, state: dict[str, int]) -> None:
        """The next loop goes on where the state was taken, with the very batches that would have come: the next epoch's, if those of its own had all come.

        Errors: InvalidArgumentError (a state of another dataset or seed).
        """
        names = {"seed", "epoch", "samples_done", "dataset_size"}
        if set(state) != names:
            raise ValueError(f"a loader's state has {sorted(names)}; this has {sorted(state)}")
        if self._sampler is not None and state["epoch"] != self._sampled_epoch:
            self._renew(state["epoch"])
        self._core.restore(**state)
        self._in_epoch, self._restored = False, True

    def map(self, function: Callable[[Batch], T], *, threads: int = 2, ahead: int = 4) -> Mapped[T]:
        """The batches, each put through `function` in a pool of Python threads, in order, `ahead` of the loop: for steps that a recipe has not.

        >>> loader = stoker.Loader("train.rec", batch_size=16)
        >>> means = loader.map(lambda batch: np.asarray(batch.images).mean(axis=(0, 2, 3)), threads=2)
        >>> [mean.shape for mean in means]
        [(3,), (3,), (3,)]

        What `function` raises is raised in the loop. len, set_epoch, state_dict and load_state_dict are those of the loader, behind the batch
        that the loop was given.
        """
        from .mapping import Mapped

        return Mapped(self, function, threads=threads, ahead=ahead)

    def bad_samples(self) -> list[BadRecord]:
        """What was bad so far, the first thousand."""
        return [BadRecord(*bad) for bad in self._core.bad_samples()]

    def statistics(self) -> dict[str, Any]:
        """Decode workers at work, who decoded what, how many samples were bad."""
        return self._core.statistics()

    def close(self) -> None:
        """Ends its threads now. Batches stay valid."""
        self._core.close()

    def __enter__(self) -> Loader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Loader({self.records}, {self.recipe}, batch_size={self.batch_size}, {len(self):,} batches an epoch)"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("a Loader has threads and cannot be pickled; make it in the process that uses it, or take stoker.torch.Dataset")


def recipe_of(recipe: str | Recipe | Any) -> Recipe:
    """Text and recipes as they are; anything else as a torchvision transform."""
    return Recipe(recipe) if isinstance(recipe, (str, Recipe)) else Recipe.from_torchvision(recipe)
