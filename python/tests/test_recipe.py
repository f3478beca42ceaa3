import pathlib
import pickle
import types
from typing import Any

import pytest

import stoker


def test_text_and_back() -> None:
    recipe = stoker.Recipe("imagenet_train(224)")
    assert str(recipe) == "random_resized_crop(224) flip(0.5) normalize(imagenet)"
    assert repr(recipe) == f"Recipe('{recipe}', f32 3x224x224)"
    assert recipe == stoker.Recipe(str(recipe)) == pickle.loads(pickle.dumps(recipe)) == stoker.Recipe(recipe)
    assert len({recipe, stoker.Recipe(str(recipe))}) == 1 and recipe != "text"
    assert (recipe.shape, recipe.dtype, recipe.layout) == ((3, 224, 224), "f32", "nchw")
    other = recipe.with_tensor(dtype="bf16", layout="nhwc")
    assert (other.shape, other.dtype, other.layout) == ((224, 224, 3), "bf16", "nhwc")
    assert other.with_tensor(layout="nchw").with_tensor(dtype="f32") == recipe


def test_errors_name_the_step() -> None:
    with pytest.raises(ValueError, match="random_resized_crop") as error:
        stoker.Recipe("random_resize_crop(224)")
    assert error.value.code == "invalid_argument"


class Fake:
    """A transform by its class's name: what is read of torchvision's is their names and attributes."""

    def __new__(cls, name: str, **attributes: Any) -> Any:
        return type(name, (), attributes)()


def compose(*transforms: Any) -> Any:
    return Fake("Compose", transforms=list(transforms))


def test_from_torchvision() -> None:
    crop = Fake("RandomResizedCrop", size=(224, 224), scale=(0.08, 1.0), ratio=(0.75, 4 / 3), antialias=True)
    flip, tensor = Fake("RandomHorizontalFlip", p=0.5), Fake("ToTensor")
    normalize = Fake("Normalize", mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    convert = stoker.Recipe.from_torchvision
    assert convert(compose(crop, flip, tensor, normalize)) == stoker.Recipe("imagenet_train(224)")
    evaluation = compose(Fake("Resize", size=256, max_size=None), Fake("CenterCrop", size=224), tensor, normalize)
    assert convert(evaluation) == stoker.Recipe("imagenet_eval(224)")
    assert str(convert(compose(Fake("Resize", size=(20, 30)), Fake("PILToTensor")))) == "resize(30x20)"
    scaled = convert(compose(Fake("CenterCrop", size=(8, 9)), tensor))
    assert scaled == stoker.Recipe("center_crop(9x8) normalize(mean=0/0/0, std=1/1/1)")
    padded = Fake("RandomCrop", size=32, padding=4, fill=0, padding_mode="constant")
    assert str(convert(compose(padded, Fake("PILToTensor")))) == "random_crop(32, padding=4)"


@pytest.mark.parametrize(
    ("transforms", "told"),
    [
        ([Fake("ColorJitter"), Fake("ToTensor")], "ColorJitter"),
        ([Fake("Resize", size=256, max_size=300)], "max_size"),
        ([Fake("Resize", size=256, interpolation="nearest")], "nearest"),
        ([Fake("Resize", size=256, antialias=False)], "antialias"),
        ([Fake("RandomCrop", size=32, padding=4, fill=7, padding_mode="constant")], "fill"),
        ([Fake("RandomCrop", size=32, padding=[1, 2], fill=0, padding_mode="constant")], "same on all sides"),
        ([Fake("RandomCrop", size=32, padding=4, fill=0, padding_mode="reflect")], "reflect"),
        ([Fake("CenterCrop", size=8)], "PIL images"),
        ([Fake("ToTensor")], "size of a picture"),
        ([Fake("ToTensor"), Fake("CenterCrop", size=8)], "behind the conversion"),
        ([Fake("CenterCrop", size=8), Fake("PILToTensor"), Fake("Normalize", mean=[0.5], std=[0.5])], "not 0 to 1"),
    ],
)
def test_what_a_recipe_cannot_express(transforms: list[Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        stoker.Recipe.from_torchvision(compose(*transforms))


def test_real_torchvision(photos: pathlib.Path, torchvision: types.ModuleType) -> None:
    """Evaluation as torchvision does it on PIL images: the same numbers."""
    transforms = torchvision.transforms
    np, Image = pytest.importorskip("numpy"), pytest.importorskip("PIL.Image")
    transform = transforms.Compose([
        transforms.Resize(40), transforms.CenterCrop(32), transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
    for batch in stoker.Loader(photos, recipe=transform, batch_size=1, shuffle=False):
        image = Image.fromarray(np.asarray(stoker.decode(photos / batch.keys[0])))
        assert np.abs(np.asarray(batch.images)[0] - transform(image).numpy()).max() < 1e-5
