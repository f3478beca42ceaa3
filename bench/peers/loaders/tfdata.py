"""tf.data, N parallel calls and threads. Only the rows and columns of the window are decoded (`decode_and_crop_jpeg`).

antialias: what tf.image.resize is told; its own default is not to. Its inverse transform stays the default, the fast one.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from common import BATCH, MEAN, SHORT, SIDE, STD, photos

SCALE, OFFSET = [1 / (255 * std) for std in STD], [-mean / std for mean, std in zip(MEAN, STD)]


def train_image(data, antialias: bool):
    shape = tf.image.extract_jpeg_shape(data)
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        shape, tf.zeros([1, 1, 4]) + [0.0, 0.0, 1.0, 1.0], min_object_covered=0.0, aspect_ratio_range=(3 / 4, 4 / 3),
        area_range=(0.08, 1.0), max_attempts=10, use_image_if_no_bounding_boxes=True)
    window = tf.stack([begin[0], begin[1], size[0], size[1]])
    image = tf.image.decode_and_crop_jpeg(data, window, channels=3)
    return tf.image.random_flip_left_right(tf.image.resize(image, [SIDE, SIDE], antialias=antialias))


def eval_image(data, antialias: bool):
    """The part that becomes the centre of a resized picture, to whole pixels: decoded alone, and resized at once."""
    size = tf.image.extract_jpeg_shape(data)[:2]
    resized = SHORT * size // tf.reduce_min(size)
    scale = tf.cast(size, tf.float32) / tf.cast(resized, tf.float32)
    begin = tf.round(tf.round(tf.cast(resized - SIDE, tf.float32) / 2) * scale)
    window = tf.cast(tf.concat([begin, tf.round(SIDE * scale)], 0), tf.int32)
    return tf.image.resize(tf.image.decode_and_crop_jpeg(data, window, channels=3), [SIDE, SIDE], antialias=antialias)


def open(data: dict, task: str, dtype: str, workers: int, antialias: bool):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    paths, one = photos(data["folder"]), train_image if task == "train" else eval_image

    def make(path):
        image = one(tf.io.read_file(path), antialias)
        if dtype == "u8":
            return tf.cast(tf.clip_by_value(tf.round(image), 0, 255), tf.uint8)
        return tf.transpose(image * SCALE + OFFSET, [2, 0, 1])

    dataset = tf.data.Dataset.from_tensor_slices(paths)
    if task == "train":
        dataset = dataset.shuffle(len(paths))
    dataset = dataset.map(make, num_parallel_calls=workers, deterministic=task != "train").batch(BATCH).prefetch(2)
    options = tf.data.Options()
    options.threading.private_threadpool_size = workers
    return lambda: iter(dataset.with_options(options).as_numpy_iterator())
