"""A program as users write it: mypy holds it against the package's types, nothing runs it."""

from __future__ import annotations

import pathlib
from typing_extensions import assert_type

import stoker


def use(folder: pathlib.Path) -> None:
    report = stoker.pack(folder, folder / "x.rec", resize_short=256, progress=lambda done, total, skipped, size: None)
    assert_type(report.shards[0].records, int)
    assert_type(report.changed["resized"], int)
    assert_type(stoker.index("x.rec").indexed, int)
    records = stoker.open("x.rec", seek_index="off")
    assert_type(records[0], stoker.Sample)
    assert_type(records[1:3], list[stoker.Sample])
    assert_type(records[0].data, bytes)
    recipe = stoker.Recipe("imagenet_train(224)").with_tensor(dtype="f16", layout="nhwc")
    with stoker.Loader(records, recipe=recipe, batch_size=64, last_batch="drop") as loader:
        loader.load_state_dict(loader.state_dict())
        for batch in loader:
            images, labels = batch
            assert_type(images, stoker.Array)
            assert_type(labels.shape, tuple[int, ...])
            assert_type(batch.keys, list[str])
    assert_type(stoker.decode("x.jpg", crop=(0, 0, 10, 10), resize=(5, 5)), stoker.Array)
    assert_type(stoker.image_info(b"").width, int)
    try:
        stoker.open("nowhere")
    except stoker.Error as error:
        assert_type(error.code, str)
    stoker.decode("x.jpg", filter="nearest")  # type: ignore[arg-type]
    stoker.Loader("x.rec", batch_sise=3)  # type: ignore[call-arg]
