"""MXNet's ImageRecordIter over a .rec of the files as they are, N preprocess threads. Its resize is linear, not antialiased."""

from common import BATCH, MEAN, SHORT, SIDE, STD, photos
from mxnet import io as mx


def open(data: dict, task: str, dtype: str, workers: int):
    count = len(photos(data["folder"]))
    options = dict(
        path_imgrec=data["rec"], path_imgidx=data["rec"].removesuffix(".rec") + ".idx", data_shape=(3, SIDE, SIDE),
        batch_size=BATCH, preprocess_threads=workers, prefetch_buffer=2, shuffle=task == "train", round_batch=False)
    if task == "train":
        options |= dict(random_resized_crop=True, min_random_area=0.08, max_random_area=1.0, min_aspect_ratio=3 / 4,
                        max_aspect_ratio=4 / 3, rand_mirror=True)
    else:
        options |= dict(resize=SHORT)
    if dtype == "f32":
        names = dict(zip(("mean_r", "mean_g", "mean_b", "std_r", "std_g", "std_b"), [255 * v for v in (*MEAN, *STD)]))
        iterator = mx.ImageRecordIter(**options, **names)
    else:
        iterator = mx.ImageRecordUInt8Iter(**options)

    def batches():
        iterator.reset()
        left = count
        for batch in iterator:
            images = batch.data[0]
            images.wait_to_read()
            yield images if left >= BATCH else images[:left]  # its own count of padding is 0 also where there is some
            left -= BATCH

    return batches
