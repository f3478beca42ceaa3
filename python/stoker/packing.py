"""pack: any source to shards."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from . import _core
from .paths import StrPath, encoded
from .records import CheckBytes, SeekIndex, open_options

Format = Literal["recordio", "tar", "tfrecord"]


class Shard(NamedTuple):
    path: str
    records: int
    bytes: int
    crc32c: int


@dataclasses.dataclass(frozen=True)
class PackReport:
    """What became of every input: inputs = packed + skipped_count. Units: bytes, seconds."""

    inputs: int
    packed: int
    skipped_count: int
    warned_count: int
    skipped: Sequence[tuple[str, str]]  # (key, reason) of the first thousand
    warned: Sequence[tuple[str, str]]
    changed: Mapping[str, int]  # kind of change → images
    kept: Mapping[str, int]  # why `baseline` left images as they are
    dropped_fields: Mapping[str, int]
    duplicates: int
    bytes_in: int
    bytes_out: int
    indexed: int
    not_indexable: Mapping[str, int]
    index_bytes: int
    shards: Sequence[Shard]
    classes: Sequence[str]
    images_per_s: float
    wall_s: float
    cpu_s: float
    estimated: bool  # predicted from a part of the source
    too_many_bad: bool  # over max_bad_share: nothing was put in place
    waits_for_merge: bool

    def __repr__(self) -> str:
        return (
            f"PackReport({self.packed:,} of {self.inputs:,} packed, {self.skipped_count:,} skipped, {self.bytes_in:,} bytes in, "
            f"{self.bytes_out:,} out, {len(self.shards)} shards)"
        )


def pack(
    source: StrPath,
    destination: StrPath,
    *,
    format: Format | None = None,
    shard_size: int = 0,
    shards: int = 0,
    part: tuple[int, int] = (0, 1),
    merge: bool = False,
    resume: bool = False,
    dry_run: bool = False,
    drop_fields: bool = False,
    label_offset: int = 0,
    resize_short: int = 0,
    enlarge: bool = False,
    max_side: int = 0,
    center_crop: bool = False,
    quality: int | None = None,
    encode: Literal["keep", "jpeg", "png"] = "keep",
    subsampling: Literal["keep", "420", "444"] = "keep",
    baseline: bool = False,
    upright: bool = False,
    precompute: str = "",
    precompute_command: str = "",
    seek_index: bool = True,
    on_error: Literal["skip", "raise"] = "skip",
    max_bad_share: float = 0.01,
    max_pixels: int = _core.default_max_pixels,
    threads: int = 0,
    root: StrPath | None = None,
    classes: StrPath | None = None,
    index_dir: StrPath | None = None,
    use_seek_index: SeekIndex = "automatic",
    check_bytes: CheckBytes = "first",
    progress: Callable[[int, int, int, int], object] | None = None,
) -> PackReport:
    """Packs any source into x.rec, x.tar or x.tfrecord; the options are those of `stoker pack`, docs/packing.md.

    The bytes of images pass through unless an option asks for other pixels. Every input is accounted for, and nothing appears under a
    final name before all of it is durable.
    shard_size: bytes a shard; shards: so many. part: (i, n), this process's share; merge=True puts all parts in place.
    progress: called with (done, total, skipped, bytes_out) at most ten times a second, without the GIL taken from others in between.
    Ctrl-C ends it cleanly.

    >>> stoker.pack("photos", "small.rec", resize_short=32)
    PackReport(42 of 42 packed, 0 skipped, ... bytes in, ... out, 1 shards)

    Errors: InvalidArgumentError, NotFoundError, IOFailedError, OutOfResourcesError (a full disk), CorruptDataError (on_error="raise").
    """
    open_how = open_options(root, classes, index_dir, use_seek_index, check_bytes)
    options = _core.PackOptions(
        encoded(source), encoded(destination), format, shard_size, shards, part, resume, drop_fields, label_offset, open_how,
        resize_short, enlarge, max_side, center_crop, quality, encode, subsampling, baseline, upright, precompute, precompute_command,
        seek_index, on_error, max_bad_share, max_pixels, threads)
    if merge:
        report = _core.merge_pack(options)
    elif dry_run:
        report = _core.plan_pack(options)
    else:
        report = _core.pack(options, progress)
    report["shards"] = [Shard(*shard) for shard in report["shards"]]
    return PackReport(**report)
