"""Who decodes, each in its best known setting for one picture: from a path to RGB uint8 [height, width, 3], one thread.

Each function imports its package and gives the function that decodes. `open` is what child.py calls.
"""

import os
from pathlib import Path

from photos import photos

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["VIPS_CONCURRENCY"] = "1"  # read when libvips is loaded


def stoker():
    import numpy
    import stoker

    return lambda path: numpy.asarray(stoker.decode(path))


def simplejpeg():
    import simplejpeg

    return lambda path: simplejpeg.decode_jpeg(Path(path).read_bytes(), "RGB", fastdct=False, fastupsample=False)


def kornia_rs():
    """Its way by libjpeg-turbo, the faster of the two."""
    from kornia_rs import io

    return lambda path: io.decode_image_jpegturbo(Path(path).read_bytes(), "rgb")


def imagecodecs():
    import imagecodecs

    return lambda path: imagecodecs.jpeg8_decode(Path(path).read_bytes(), outcolorspace="RGB")


def jpeg4py():
    """By the system's libturbojpeg."""
    import jpeg4py

    return lambda path: jpeg4py.JPEG(path).decode()


def torchvision():
    import torch
    from torchvision import io

    torch.set_num_threads(1)
    return lambda path: io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB).permute(1, 2, 0).numpy()


def tensorflow():
    """`decode_jpeg` with its default inverse transform, the fast one."""
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    return lambda path: tf.io.decode_jpeg(tf.io.read_file(path), channels=3).numpy()


def opencv():
    """EXIF orientation left alone, as the others do; RGB without a turn by way of BGR."""
    import cv2

    cv2.setNumThreads(0)
    return lambda path: cv2.imread(path, cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)


def dali():
    """A pipeline that decodes batches of 16 by one thread: single pictures would measure its start."""
    from nvidia.dali import fn, pipeline_def, types

    @pipeline_def
    def pipeline(paths: list[str]):
        encoded, _ = fn.readers.file(files=paths)
        return fn.decoders.image(encoded, device="cpu", output_type=types.RGB, adjust_orientation=False)

    def of_all(paths: list[str]):
        built = pipeline(paths, batch_size=16, num_threads=1, device_id=None)
        built.build()

        def batches():
            for begin in range(0, len(paths), 16):
                images = built.run()[0]
                for i in range(min(16, len(paths) - begin)):
                    yield images.at(i)[None]
            built.reset()

        return batches

    of_all.all_at_once = True
    return of_all


def pillow():
    import numpy
    from PIL import Image

    return lambda path: numpy.asarray(Image.open(path).convert("RGB"))


def imageio():
    import imageio.v3

    return lambda path: imageio.v3.imread(path, mode="RGB")


def skimage():
    """Gray stays two-dimensional, so it is made of three channels."""
    from skimage import color, io

    def decode(path: str):
        image = io.imread(path)
        return image if image.ndim == 3 else color.gray2rgb(image)

    return decode


def mxnet():
    """By OpenCV inside it, as `imdecode` has it."""
    from mxnet import image

    return lambda path: image.imdecode(Path(path).read_bytes(), to_rgb=True).asnumpy()


def pyvips():
    import pyvips

    def decode(path: str):
        image = pyvips.Image.new_from_file(path, access="sequential")
        return (image if image.bands == 3 else image.colourspace("srgb")).numpy()

    return decode


def spdl():
    """FFmpeg's own JPEG decoder and its conversion to rgb24, one thread each."""
    import spdl.io

    def decode(path: str):
        frames = spdl.io.decode_packets(spdl.io.demux_image(path), filter_desc="format=pix_fmts=rgb24")
        return spdl.io.to_numpy(spdl.io.convert_frames(frames))

    return decode


def open(folder: str, name: str):
    paths = photos(folder)
    decode = globals()[name]()
    if getattr(decode, "all_at_once", False):
        return decode(paths)
    return lambda: (decode(path)[None] for path in paths)
