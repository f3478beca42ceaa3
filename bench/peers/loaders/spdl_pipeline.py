"""SPDL, N threads around FFmpeg: its filters crop, scale (bilinear, which averages where it reduces), mirror and make RGB of it.

A window is chosen from the header. float32 is made of a batch by NumPy, in the same threads.
"""

import random

import spdl.io
from common import BATCH, SIDE, batches_of, normalized, photos, random_window, resized_size
from spdl.pipeline import PipelineBuilder


def train_filter(width: int, height: int) -> str:
    x, y, w, h = random_window(width, height)
    mirror = "hflip," if random.random() < 0.5 else ""
    return f"crop={w}:{h}:{x}:{y},scale={SIDE}:{SIDE}:flags=bilinear,{mirror}format=pix_fmts=rgb24"


def eval_filter(width: int, height: int) -> str:
    w, h = resized_size(width, height)
    return f"scale={w}:{h}:flags=bilinear,crop={SIDE}:{SIDE},format=pix_fmts=rgb24"


def open(data: dict, task: str, dtype: str, workers: int):
    paths, filter_of = photos(data["folder"]), train_filter if task == "train" else eval_filter

    def frames_of(path: str):
        packets = spdl.io.demux_image(path)
        return spdl.io.decode_packets(packets, filter_desc=filter_of(packets.codec.width, packets.codec.height))

    def make(batch: list[str]):
        images = spdl.io.to_numpy(spdl.io.convert_frames([frames_of(path) for path in batch]))
        return images if dtype == "u8" else normalized(images)

    def batches():
        # A batch with an image that fails would be passed over in silence; here nothing may fail.
        pipeline = (PipelineBuilder().add_source(batches_of(paths, task))
                    .pipe(make, concurrency=workers, output_order="input").add_sink(2).build(num_threads=workers, max_failures=0))
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()

    return batches
