"""A training loop over real JPEGs with PyTorch's DataLoader; in the GPU's place stands a timed wait.

Writes what the GPU would have done into the fake driver's event file (tests/fake_nvml), and what the loop itself did,
phase by phase, into the truth log, which truth.py reads.
"""

import argparse
import os
import queue
import random
import threading
import time

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

CROP = 224


class Photos(Dataset):
    """An endless walk over a folder's JPEGs, as an image classification reads them."""

    def __init__(self, folder, seed, cold, threads):
        self.files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        self.seed, self.cold, self.threads = seed, cold, threads

    def __len__(self):
        return 10**7

    def __getitem__(self, index):
        with open(self.files[(index * 7919 + self.seed) % len(self.files)], "rb") as file:
            image = Image.open(file).convert("RGB")
            if self.cold:  # a data set larger than memory: the page cache never holds what comes next
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        image = image.resize((CROP, CROP), Image.BILINEAR, box=random_box(image.size, random.Random(index)))
        pixels = torch.from_numpy(numpy.array(image)).permute(2, 0, 1).float().div_(255)
        if self.threads:  # an augmentation whose library starts as many threads as it was told
            for _ in range(6):
                pixels = torch.nn.functional.interpolate(
                    pixels[None], size=(CROP, CROP), mode="bicubic", align_corners=False)[0]
        return pixels, index % 1000


def random_box(size, chance):
    """A crop of 30 to 100 % of the area."""
    side = chance.uniform(0.3, 1) ** 0.5
    width, height = int(size[0] * side), int(size[1] * side)
    left, top = chance.randint(0, size[0] - width), chance.randint(0, size[1] - height)
    return left, top, left + width, top + height


class Lines:
    """A file to which whole lines are appended, from any thread."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)

    def write(self, *words):
        os.write(self.descriptor, (" ".join(map(str, words)) + "\n").encode())


class Gpu:
    """GPUs that work off what is launched, whatever the loop's own thread does meanwhile, as real ones do."""

    QUEUE = 2  # steps that an asynchronous loop launches ahead

    def __init__(self, options):
        self.mode, self.used = options.gpu_mode, range(options.gpus)
        self.events, self.ends = Lines(options.nvml), [0.0]
        now = time.monotonic()
        for index in range(options.gpus_present):
            self.events.write(f"gpu {index} name=Stand-in uuid=GPU-00000000-0000-0000-0000-{index:012d}"
                              " memory_total_mib=40960 power_limit_w=400")
            used = index in self.used
            self.events.write(f"seen {now:.6f} {index} memory_used_mib={9300 if used else 4} power_w={250 if used else 55}")

    def run(self, milliseconds):
        """Launches one step; returns when the loop could go on."""
        begin = max(time.monotonic(), self.ends[-1])
        end = begin + milliseconds / 1e3
        for index in self.used:
            self.events.write(f"busy {begin:.6f} {index}\nidle {end:.6f} {index}")
        self.ends = [*self.ends[-self.QUEUE:], end]
        if self.mode == "spin":  # as a synchronise that spins
            while time.monotonic() < end:
                pass
        else:
            time.sleep(max(0, (self.ends[0] if self.mode == "async" else end) - time.monotonic()))


def batches(loader, pin_thread):
    """The loader's batches; with pin_thread through a thread between, as pin_memory=True has one."""
    if not pin_thread:
        return iter(loader)
    pinned = queue.Queue(2)

    def pin():
        torch.multiprocessing._set_thread_name("pt_data_pin")
        for batch in loader:
            pinned.put(batch)

    threading.Thread(target=pin, daemon=True).start()
    return iter(lambda: pinned.get(timeout=60), None)


def work_in_main_thread(images, milliseconds):
    """What belongs into the workers: normalising the batch and summing it up for a log, until the time is spent."""
    end = time.thread_time() + milliseconds / 1e3
    while time.thread_time() < end:
        float(images[:4].sub(0.45).div_(0.225).mean())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--images", required=True)
    add("--truth", required=True)
    add("--nvml", required=True)
    add("--workers", type=int, default=2)
    add("--prefetch", type=int, default=2)
    add("--batch", type=int, default=32)
    add("--gpu-ms", type=float, default=30, help="of one step")
    add("--gpu-mode", choices=["sync", "spin", "async"], default="sync")
    add("--gpus", type=int, default=1, help="that the loop uses")
    add("--gpus-present", type=int, default=1)
    add("--main-ms", type=float, default=0, help="work of the main thread a step")
    add("--worker-threads", type=int, default=0)
    add("--pin-thread", action="store_true")
    add("--cold", action="store_true")
    add("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(1)
    threads = options.worker_threads
    loader = DataLoader(
        Photos(options.images, options.seed, options.cold, threads), batch_size=options.batch,
        num_workers=options.workers, prefetch_factor=options.prefetch,
        worker_init_fn=lambda _: torch.set_num_threads(threads) if threads else None)
    truth, gpu = Lines(options.truth), Gpu(options)
    truth.write("pid", os.getpid())
    source = batches(loader, options.pin_thread)
    while True:
        truth.write("wait", f"{time.monotonic():.6f}")
        images, _ = next(source)
        truth.write("main", f"{time.monotonic():.6f}")
        if options.main_ms:
            work_in_main_thread(images, options.main_ms)
        truth.write("gpu", f"{time.monotonic():.6f}")
        gpu.run(options.gpu_ms)
        truth.write("done", f"{time.monotonic():.6f}", len(images))


if __name__ == "__main__":
    main()
