"""Recipe: the list of steps from image bytes to tensor."""

from __future__ import annotations

import re
from typing import Any, Literal

from ._core import Recipe as CoreRecipe
from .errors import InvalidArgumentError

IMAGENET = [(0.485, 0.456, 0.406), (0.229, 0.224, 0.225)]  # mean, std

DType = Literal["u8", "f16", "bf16", "f32"]
Layout = Literal["nchw", "nhwc"]


class Recipe:
    """A checked list of steps, in one text form for C++, the command line and Python.

    >>> recipe = stoker.Recipe("random_resized_crop(224) flip(0.5) normalize(imagenet)")
    >>> recipe
    Recipe('random_resized_crop(224) flip(0.5) normalize(imagenet)', f32 3x224x224)
    >>> recipe == stoker.Recipe("imagenet_train(224)")
    True

    Steps: random_resized_crop, resize, center_crop, random_crop, flip, normalize, array, tensor; whole recipes: imagenet_train(N),
    imagenet_eval(N). docs/command-line.md has their options.
    Errors: InvalidArgumentError, naming the step or option, what is allowed and the nearest right name.
    """

    __slots__ = ("_core",)

    def __init__(self, text: str | Recipe) -> None:
        self._core: CoreRecipe = text._core if isinstance(text, Recipe) else CoreRecipe.parse(text)

    @classmethod
    def from_torchvision(cls, transform: Any) -> Recipe:
        """The recipe of a torchvision transform (v1 or v2): Compose of crops, Resize, RandomHorizontalFlip, ToTensor and its likes, Normalize.

        Pixels are those of torchvision on PIL images; random choices follow the same distributions, from Stoker's own seeds.
        Errors: InvalidArgumentError, naming the transform that a recipe cannot express.
        """
        from .from_torchvision import recipe_text

        return cls(recipe_text(transform))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample: (3, height, width), (height, width, 3), or the array's."""
        return tuple(self._core.shape)

    @property
    def dtype(self) -> DType:
        return self._core.dtype

    @property
    def layout(self) -> Layout:
        return self._core.layout

    def with_tensor(self, dtype: DType | None = None, layout: Layout | None = None) -> Recipe:
        """The same steps, with another number type or layout at their end.

        >>> stoker.Recipe("imagenet_eval(224)").with_tensor(layout="nhwc").shape
        (224, 224, 3)
        """
        steps = re.sub(r"\s*tensor\([^)]*\)$", "", str(self))
        return Recipe(f"{steps} tensor({dtype or self.dtype}, {layout or self.layout})")

    def without_normalize(self) -> tuple[Recipe, tuple[float, ...], tuple[float, ...]]:
        """The recipe of uint8 values, and the mean and deviation that the rest of the work needs: (value / 255 - mean) / std.

        >>> stoker.Recipe("imagenet_eval(224)").without_normalize()[0]
        Recipe('resize(256) center_crop(224)', u8 3x224x224)

        Errors: InvalidArgumentError (a recipe that does not normalise).
        """
        found = re.search(r"normalize\(([^)]*)\)", str(self))
        if found is None:
            raise InvalidArgumentError(f"recipe '{self}': no normalize(…) among its steps; allowed: one, as normalize(imagenet)")
        values = IMAGENET if found[1] == "imagenet" else [
            tuple(map(float, part.split("=")[1].split("/"))) for part in found[1].split(",")]
        steps = re.sub(r"\s*tensor\([^)]*\)$", "", str(self)).replace(found[0], "")
        return Recipe(f"{steps} tensor(u8, {self.layout})"), values[0], values[1]

    def __str__(self) -> str:
        """The canonical text: Recipe(str(recipe)) equals recipe."""
        return self._core.to_string()

    def __repr__(self) -> str:
        return f"Recipe('{self}', {self.dtype} {'x'.join(map(str, self.shape))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[type[Recipe], tuple[str]]:
        return Recipe, (str(self),)
