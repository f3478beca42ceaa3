"""What of torchvision's transforms a recipe can express. torchvision itself is not imported: classes are known by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .errors import InvalidArgumentError

_ALLOWED = (
    "RandomResizedCrop, Resize, CenterCrop, RandomCrop, RandomHorizontalFlip, ToTensor, PILToTensor, ToImage, ConvertImageDtype, ToDtype, Normalize"
)


def _refuse(what: str, found: str, allowed: str = _ALLOWED) -> InvalidArgumentError:
    error = InvalidArgumentError(f"torchvision transform {what}: {found}; allowed: {allowed}")
    error.operation, error.object, error.found, error.allowed = "torchvision transform", what, found, allowed
    return error


def _name(value: object) -> str:
    return type(value).__name__


def _sides(what: str, size: Any) -> tuple[int, int]:
    """(height, width) of torchvision's sizes."""
    if isinstance(size, int):
        return size, size
    sides = tuple(size)
    if len(sides) == 1:
        return sides[0], sides[0]
    if len(sides) == 2:
        return sides[0], sides[1]
    raise _refuse(what, f"size {size!r}", "an int, or (height, width)")


def _size(what: str, size: Any) -> str:
    height, width = _sides(what, size)
    return str(width) if height == width else f"{width}x{height}"


def _filter(what: str, transform: Any) -> str:
    mode = getattr(transform, "interpolation", "bilinear")
    name = str(getattr(mode, "value", mode))
    if name not in ("bilinear", "bicubic"):
        raise _refuse(what, f"interpolation {name!r}", "bilinear, bicubic")
    if getattr(transform, "antialias", True) is False:
        raise _refuse(what, "antialias=False", "antialias=True, which pixels of PIL images have anyway")
    return "" if name == "bilinear" else f", filter={name}"


def _number(value: Any) -> str:
    return repr(float(value))


def _random_resized_crop(transform: Any) -> str:
    what = "RandomResizedCrop"
    low, high = transform.scale
    narrow, wide = transform.ratio
    return (f"random_resized_crop({_size(what, transform.size)}, scale={_number(low)}..{_number(high)}, "
            f"ratio={_number(narrow)}..{_number(wide)}{_filter(what, transform)})")


def _resize(transform: Any) -> str:
    what = "Resize"
    if getattr(transform, "max_size", None) is not None:
        raise _refuse(what, f"max_size={transform.max_size}", "none")
    size = transform.size
    if not isinstance(size, int) and len(size) == 1:
        size = size[0]
    sides = str(size) if isinstance(size, int) else "{1}x{0}".format(*_sides(what, size))
    return f"resize({sides}{_filter(what, transform)})"


def _center_crop(transform: Any) -> str:
    return f"center_crop({_size('CenterCrop', transform.size)})"


def _random_crop(transform: Any) -> str:
    what = "RandomCrop"
    padding = transform.padding
    if padding is None:
        padding = 0
    if not isinstance(padding, int):
        if len(set(padding)) != 1:
            raise _refuse(what, f"padding {padding!r}", "the same on all sides")
        padding = padding[0]
    fill = getattr(transform, "fill", 0)
    if fill not in (0, None) and not (isinstance(fill, dict) and all(value in (0, None) for value in fill.values())):
        raise _refuse(what, f"fill={fill!r}", "0")
    mode = str(getattr(transform.padding_mode, "value", transform.padding_mode))
    if mode != "constant":
        raise _refuse(what, f"padding_mode {mode!r}", "constant")
    return f"random_crop({_size(what, transform.size)}, padding={padding})"


def _flip(transform: Any) -> str:
    return f"flip({_number(transform.p)})"


_GEOMETRY: dict[str, Callable[[Any], str]] = {
    "RandomResizedCrop": _random_resized_crop,
    "Resize": _resize,
    "CenterCrop": _center_crop,
    "RandomCrop": _random_crop,
    "RandomHorizontalFlip": _flip,
}
_DTYPES = {"torch.float32": "f32", "torch.float16": "f16", "torch.bfloat16": "bf16", "torch.uint8": "u8"}


def _flat(transform: Any) -> Iterable[Any]:
    if _name(transform) in ("Compose", "Sequential"):
        for inner in getattr(transform, "transforms", None) or list(transform):
            yield from _flat(inner)
    elif _name(transform) not in ("Identity", "ToPureTensor"):
        yield transform


def _values(numbers: Iterable[Any]) -> str:
    values = [float(number) for number in numbers]
    if len(values) == 1:
        values *= 3
    return "/".join(map(_number, values))


def _dtype(what: str, transform: Any) -> tuple[str, bool]:
    """(the recipe's number type, whether values become 0..1)."""
    wanted = transform.dtype
    if isinstance(wanted, dict):
        raise _refuse(what, "one dtype for each kind of input", "one dtype")
    if str(wanted) not in _DTYPES:
        raise _refuse(what, f"dtype {wanted}", ", ".join(_DTYPES))
    dtype = _DTYPES[str(wanted)]
    return dtype, dtype != "u8" and bool(getattr(transform, "scale", True))


class _Reader:
    """Goes through the transforms in their order, and knows what the values are so far."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.is_tensor = False
        self.scaled = False
        self.normalized = False
        self.dtype = "u8"

    def add(self, transform: Any) -> None:
        name = _name(transform)
        if name in _GEOMETRY:
            if self.normalized or self.scaled:
                raise _refuse(name, "it stands behind the conversion to floats", "geometry first, then ToTensor and Normalize")
            self.steps.append(_GEOMETRY[name](transform))
        elif name in ("PILToTensor", "ToImage"):
            self.is_tensor = True
        elif name == "ToTensor":
            self.is_tensor, self.scaled, self.dtype = True, True, "f32"
        elif name in ("ToDtype", "ConvertImageDtype", "ConvertDtype"):
            dtype, scaled = _dtype(name, transform)
            self.dtype, self.scaled = dtype, self.scaled or scaled
        elif name == "Normalize":
            self.normalize(transform)
        else:
            raise _refuse(name, "a recipe has no such step")

    def normalize(self, transform: Any) -> None:
        if not self.scaled or self.normalized:
            raise _refuse("Normalize", "values are not 0 to 1 in front of it", "ToTensor, or ToDtype(torch.float32, scale=True), in front, and once")
        self.steps.append(f"normalize(mean={_values(transform.mean)}, std={_values(transform.std)})")
        self.normalized = True

    def text(self) -> str:
        if not self.steps:
            raise _refuse("Compose", "nothing that fixes the size of a picture", "a crop or a resize")
        if not self.is_tensor:
            raise _refuse("Compose", "pictures stay PIL images", "ToTensor, or PILToTensor, among the transforms")
        if self.scaled and not self.normalized:
            self.steps.append("normalize(mean=0/0/0, std=1/1/1)")
        return " ".join([*self.steps, f"tensor({self.dtype}, nchw)"])


def recipe_text(transform: Any) -> str:
    """The text of the recipe. Errors: InvalidArgumentError, naming the transform."""
    reader = _Reader()
    for step in _flat(transform):
        reader.add(step)
    return reader.text()
