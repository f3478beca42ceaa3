"""open, Records, Sample, index: sources and their samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, overload

from . import _core
from .errors import InvalidArgumentError
from .paths import StrPath, encoded

SeekIndex = Literal["automatic", "off"]
CheckBytes = Literal["first", "always", "never"]


@dataclasses.dataclass(frozen=True)
class Sample:
    """One sample of a source, read."""

    key: str
    labels: tuple[float, ...]  # empty: the container holds none
    fields: Mapping[str, bytes]
    main_field: str  # the name of the field that a decoder gets
    seek_points: bytes  # of the main field, for Loader and Dataset; b"": none

    @property
    def data(self) -> bytes:
        """The main field: the image's bytes."""
        return self.fields[self.main_field]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}: {len(value):,} bytes" for name, value in self.fields.items())
        return f"Sample('{self.key}', labels={self.labels}, {fields})"


def open_options(
    root: StrPath | None = None,
    classes: StrPath | None = None,
    index_dir: StrPath | None = None,
    seek_index: SeekIndex = "automatic",
    check_bytes: CheckBytes = "first",
) -> _core.OpenOptions:
    return _core.OpenOptions(encoded(root), encoded(classes), encoded(index_dir), seek_index, check_bytes)


class Records(Sequence[Sample]):
    """The samples of a source, by number. Threads: any number may read at once; survives fork and pickling (it is opened again).

    >>> records = stoker.open("train.rec")
    >>> records
    Records('train.rec', recordio, 42 samples, 3 classes)
    >>> records[0]
    Sample('0', labels=(0.0,), image: ... bytes)
    """

    def __init__(
        self,
        source: StrPath,
        *,
        root: StrPath | None = None,
        classes: StrPath | None = None,
        index_dir: StrPath | None = None,
        seek_index: SeekIndex = "automatic",
        check_bytes: CheckBytes = "first",
    ) -> None:
        self._source = source
        self._options = {
            "root": root, "classes": classes, "index_dir": index_dir, "seek_index": seek_index, "check_bytes": check_bytes}
        self._core = _core.open(encoded(source), open_options(root, classes, index_dir, seek_index, check_bytes))
        self._whole = len(self._core)
        self._selections: list[list[int]] = []

    @property
    def classes(self) -> list[str]:
        """Names of the classes by label; [] where nothing tells."""
        return self._core.classes

    @property
    def format(self) -> str:
        """"folder", "list", "recordio", "tar", "tfrecord" or "mds"."""
        return self._core.format

    def select(self, indices: Iterable[int]) -> Records:
        """Some of the samples, in this order, repeats included: for subsets, folds, balanced classes.

        >>> stoker.open("train.rec").select([3, 1, 1])
        Records('train.rec', recordio, 3 of 42 samples, 3 classes)

        Errors: InvalidArgumentError (an index beyond the last).
        """
        places = [int(index) for index in indices]
        if places and min(places) < 0:
            raise InvalidArgumentError(f"select samples: sample {min(places)}; allowed: 0 to {len(self) - 1}")
        chosen = Records.__new__(Records)
        chosen._source, chosen._options, chosen._whole = self._source, self._options, self._whole
        chosen._core = self._core.select(places)
        chosen._selections = [*self._selections, places]
        return chosen

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, index: int) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...
    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        """Reads a sample. Errors: IndexError; CorruptDataError, IOFailedError, NotFoundError of this sample."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"{self._source}: sample {index} of {len(self)}")
        return Sample(*self._core.read(place))

    def __iter__(self) -> Iterator[Sample]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        samples = f"{len(self):,} of {self._whole:,}" if self._selections else f"{len(self):,}"
        return f"Records('{self._source}', {self.format}, {samples} samples, {len(self.classes)} classes)"

    def __getstate__(self) -> dict[str, Any]:
        return {"_source": self._source, "_options": self._options, "_selections": self._selections}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_source"], **state["_options"])  # type: ignore[misc]
        for places in state["_selections"]:
            self._core = self._core.select(places)
        self._selections = state["_selections"]


def open(
    source: StrPath,
    *,
    root: StrPath | None = None,
    classes: StrPath | None = None,
    index_dir: StrPath | None = None,
    seek_index: SeekIndex = "automatic",
    check_bytes: CheckBytes = "first",
) -> Records:
    """Opens a folder of class folders, an .lst, a .rec, .tar or .tfrecord (also many: shards/{0000..0127}.tar, *.tar, a packed set), or an MDS folder.

    root: of the paths in an .lst; default: its folder. classes: a file with one class name a line, the class map of a folder.
    Errors: NotFoundError, InvalidArgumentError, CorruptDataError, UnsupportedError.
    """
    return Records(
        source, root=root, classes=classes, index_dir=index_dir, seek_index=seek_index, check_bytes=check_bytes)


@dataclasses.dataclass(frozen=True)
class IndexReport:
    """What index() found. records = indexed + all of not_indexable."""

    records: int
    indexed: int
    not_indexable: Mapping[str, int]  # reason → images; they are decoded the plain way
    bytes: int  # of the images
    index_bytes: int
    index_path: str
    images_per_s: float
    wall_s: float
    cpu_s: float


def index(
    source: StrPath,
    *,
    interval: int = 0,
    threads: int = 0,
    root: StrPath | None = None,
    classes: StrPath | None = None,
    index_dir: StrPath | None = None,
) -> IndexReport:
    """Writes the seek index of existing data, with which a loader decodes just its crops; changes no image.

    It lies beside the source, else in the user's cache. threads: 0: the CPUs that may be used. Ctrl-C ends it; what was found is kept.
    Errors: NotFoundError, InvalidArgumentError, IOFailedError, OutOfResourcesError, CorruptDataError.
    """
    options = open_options(root, classes, index_dir)
    return IndexReport(**_core.index(encoded(source), options, interval, threads))
