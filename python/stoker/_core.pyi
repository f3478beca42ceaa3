"""What src/ binds: the public headers of the library, one to one. Use the package around it."""

from collections.abc import Callable
from typing import Any, Literal, final

default_max_pixels: int

@final
class Array:
    """Numbers in memory that Stoker owns, without a copy: np.asarray(a), torch.from_dlpack(a), jax.dlpack.from_dlpack(a).

    Valid as long as it, or an array made of it, lives.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Literal["uint8", "float16", "bfloat16", "float32", "int64", "uint64"]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __dlpack__(self, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

def decode(
    data: bytes,
    crop: tuple[int, int, int, int] | None,
    resize: tuple[int, int] | None,
    window: tuple[int, int, int, int] | None,
    filter: str,
    pixels: str,
    max_pixels: int,
) -> Array: ...
def image_info(data: bytes) -> dict[str, Any]: ...

@final
class Recipe:
    @staticmethod
    def parse(text: str) -> Recipe: ...
    def to_string(self) -> str: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def dtype(self) -> Literal["u8", "f16", "bf16", "f32"]: ...
    @property
    def layout(self) -> Literal["nchw", "nhwc"]: ...
    @property
    def is_array(self) -> bool: ...

@final
class Transformer:
    def __init__(self, recipe: Recipe, pixels: str, max_pixels: int) -> None: ...
    def run(self, data: bytes, seek_points: bytes, seed: int, epoch: int, index: int) -> Array: ...

@final
class OpenOptions:
    def __init__(self, root: bytes, classes_file: bytes, index_dir: bytes, seek_index: str, check_bytes: str) -> None: ...

@final
class Records:
    def __len__(self) -> int: ...
    def read(self, index: int) -> tuple[str, tuple[float, ...], dict[str, bytes], str, bytes]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def seek_index(self) -> dict[str, Any]: ...
    @property
    def format(self) -> str: ...

def open(source: bytes, options: OpenOptions) -> Records: ...
def index(source: bytes, options: OpenOptions, interval: int, threads: int) -> dict[str, Any]: ...

@final
class Batch:
    def __len__(self) -> int: ...
    @property
    def images(self) -> Array: ...
    @property
    def labels(self) -> Array: ...
    @property
    def class_labels(self) -> Array: ...
    @property
    def indices(self) -> Array: ...
    @property
    def status_codes(self) -> Array: ...
    @property
    def statuses(self) -> list[Literal["ok", "warned", "bad", "substituted", "padding"]]: ...
    @property
    def keys(self) -> list[str]: ...
    @property
    def epoch(self) -> int: ...
    @property
    def step(self) -> int: ...

@final
class Loader:
    def __init__(
        self,
        records: Records,
        recipe: str,
        batch_size: int,
        shuffle: bool,
        seed: int,
        threads: int,
        read_threads: int,
        rank: int,
        world_size: int,
        last_batch: str,
        bad_sample: str,
        max_bad_share: float,
        max_pixels: int,
        pixels: str,
        batches_ahead: int,
        read_ahead_bytes: int,
        label_width: int,
        learn: str,
        publish_counters: bool,
    ) -> None: ...
    def next(self) -> Batch | None: ...
    def set_epoch(self, epoch: int) -> None: ...
    @property
    def epoch(self) -> int: ...
    @property
    def steps_per_epoch(self) -> int: ...
    @property
    def samples_per_epoch(self) -> int: ...
    def state(self) -> dict[str, int]: ...
    def restore(self, seed: int, epoch: int, samples_done: int, dataset_size: int) -> None: ...
    def statistics(self) -> dict[str, Any]: ...
    def bad_samples(self) -> list[tuple[str, int, str, str]]: ...
    def close(self) -> None: ...

@final
class PackOptions:
    def __init__(
        self,
        source: bytes,
        destination: bytes,
        format: str | None,
        shard_size: int,
        shards: int,
        part: tuple[int, int],
        resume: bool,
        drop_fields: bool,
        label_offset: int,
        open: OpenOptions,
        resize_short: int,
        enlarge: bool,
        max_side: int,
        center_crop: bool,
        quality: int | None,
        encode: str,
        subsampling: str,
        baseline: bool,
        upright: bool,
        precompute: str,
        precompute_command: str,
        seek_index: bool,
        on_error: str,
        max_bad_share: float,
        max_pixels: int,
        threads: int,
    ) -> None: ...

def pack(options: PackOptions, progress: Callable[[int, int, int, int], object] | None) -> dict[str, Any]: ...
def plan_pack(options: PackOptions) -> dict[str, Any]: ...
def merge_pack(options: PackOptions) -> dict[str, Any]: ...
