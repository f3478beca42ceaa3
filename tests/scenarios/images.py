"""Photo-like JPEGs for the scenarios: noise at every scale, so that they compress and decode as photos do."""

import os
import shutil
import time

COUNT = 300
SIZE = (500, 375)
SMALL = (341, 256)


def texture(chance, size):
    """Noise of six octaves whose amplitude falls with the frequency, in three channels that go together."""
    import numpy
    from PIL import Image

    total = numpy.zeros((size[1], size[0], 3), numpy.float32)
    for octave in range(1, 7):
        cells = (3 * 2**octave, 2 * 2**octave)
        grey = chance.normal(size=(cells[1], cells[0], 1))
        layer = (128 + 40 * (grey + 0.5 * chance.normal(size=(cells[1], cells[0], 3)))).clip(0, 255).astype(numpy.uint8)
        total += (numpy.asarray(Image.fromarray(layer).resize(size, Image.BICUBIC), numpy.float32) - 128) * 1.4 * 0.72**octave
    total += chance.normal(scale=11, size=total.shape)
    return Image.fromarray((total + 118).clip(0, 255).astype(numpy.uint8))


def make_images(folder, count=COUNT):
    """Makes folder/large and folder/small, the same pictures twice, if they are not there."""
    import numpy
    from PIL import Image

    if os.path.isdir(folder):
        return
    partial = f"{folder}.{os.getpid()}"
    try:
        for name in ("large", "small"):
            os.makedirs(os.path.join(partial, name))
        chance = numpy.random.default_rng(1)
        for number in range(count):
            picture = texture(chance, SIZE)
            picture.save(os.path.join(partial, "large", f"{number:04}.jpg"), quality=92)
            picture.resize(SMALL, Image.LANCZOS).save(os.path.join(partial, "small", f"{number:04}.jpg"), quality=90)
        os.sync()  # clean pages only can be dropped from the cache
        os.rename(partial, folder)
    except OSError:
        if not os.path.isdir(folder):  # else another process was quicker
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def mean_bytes(folder):
    sizes = [entry.stat().st_size for entry in os.scandir(folder)]
    return sum(sizes) / len(sizes)


def image_ms(folder, seconds=1.0):
    """CPU milliseconds that a worker spends on one image of `folder` (trainer.Photos), the median of its parts."""
    import torch
    from trainer import Photos

    torch.set_num_threads(1)
    photos = Photos(folder, 0, False, 0)
    costs, index, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end or len(costs) < 5:
        begin = time.thread_time()
        for _ in range(20):
            photos[index]
            index += 1
        costs.append((time.thread_time() - begin) / 20 * 1e3)
    return sorted(costs)[len(costs) // 2]
