#!/usr/bin/env python3
"""Images a second of `stoker bench load` against torchvision's ImageFolder with PyTorch's DataLoader, on the same files.

usage: loader_bench.py STOKER SOURCE [--threads N] [--rounds N] [--seconds S]

SOURCE is what stoker reads (a .rec, with or without a seek index beside it, or a folder); its samples are written out as files for
torchvision. Both do random_resized_crop(224) flip normalize to f32 in batches of 64, with N threads or N worker processes (persistent).
They run in turns, never at once; wall time; nothing is trained. torchvision decodes by Pillow (its default) and by its own decode_jpeg.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCH = 64
TINY_JPEG = (  # 8 x 8, gray
    "ffd8ffe000104a46494600010100000100010000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d3042605565645f555d"
    "5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffc0000b080008000801011100ffc4001400010000000000000000"
    "0000000000000000ffc40014100100000000000000000000000000000000ffda0008010100003f003fffd9"
)
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def write_files(stoker: str, source: str, folder: Path) -> int:
    """SOURCE's images as folder/CLASS/NAME.jpg; a folder is taken as it is."""
    listing = subprocess.run([stoker, "ls", source, "--json"], check=True, capture_output=True, text=True).stdout
    count = 0
    with open(source, "rb") as container:
        for line in listing.splitlines():
            record = json.loads(line)
            if "fields" not in record:
                continue
            label = int(record["labels"][0]) if record["labels"] else 0
            container.seek(record["offset"])
            data = container.read(64 + record["fields"]["image"] + 8 * max(1, len(record["labels"])))
            begin = data.find(b"\xff\xd8\xff")
            place = folder / f"{label:05d}" / f"{record['index']:07d}.jpg"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data[begin : begin + record["fields"]["image"]])
            count += 1
    return count


def import_torchvision():
    """torchvision, also where its compiled operators do not fit the PyTorch beside it: transforms need none of them."""
    import torch

    try:
        import torchvision
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            library.define(operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        import torchvision
        import_torchvision.kept = library
    return torchvision


def decoders() -> list[str]:
    """Those that work here: decode_jpeg needs the compiled part."""
    import_torchvision()
    import torch
    from torchvision import io

    jpeg = bytes.fromhex(TINY_JPEG)
    try:
        io.decode_jpeg(torch.frombuffer(bytearray(jpeg), dtype=torch.uint8))
    except (RuntimeError, AttributeError) as error:
        print(f"decode_jpeg does not work here: {str(error).splitlines()[0]}")
        return ["pillow"]
    return ["pillow", "decode_jpeg"]


def torchvision_loader(folder: str, workers: int, decoder: str):
    import_torchvision()
    import torch
    from torchvision import datasets, io, transforms

    steps = [transforms.RandomResizedCrop(224, antialias=True), transforms.RandomHorizontalFlip()]
    if decoder == "pillow":
        steps += [transforms.ToTensor()]
        load = datasets.folder.default_loader
    else:
        steps += [transforms.ConvertImageDtype(torch.float32)]

        def load(path: str):
            return io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)

    steps += [transforms.Normalize(MEAN, STD)]
    data = datasets.ImageFolder(folder, transforms.Compose(steps), loader=load)
    return torch.utils.data.DataLoader(
        data, batch_size=BATCH, shuffle=True, num_workers=workers, persistent_workers=True, prefetch_factor=4
    )


def run_torchvision(loader, seconds: float) -> float:
    """Images a second over whole epochs behind one that warms up (in the first call)."""
    images, begin = 0, time.perf_counter()
    while True:
        for batch, _ in loader:
            images += len(batch)
        if time.perf_counter() - begin >= seconds:
            return images / (time.perf_counter() - begin)


def run_stoker(stoker: str, source: str, threads: int, seconds: float, pixels: str) -> float:
    command = [stoker, "bench", "load", source, "--threads", str(threads), "--rounds", "1", "--seconds", f"{seconds:g}"]
    command += ["--epochs", "0", "--cost-turns", "0", "--pixels", pixels, "--json", "--quiet"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return report["rows"][0]["images_per_s"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stoker")
    parser.add_argument("source")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        if Path(options.source).is_dir():
            folder = options.source
        else:
            folder = scratch
            print(f"{write_files(options.stoker, options.source, Path(scratch))} files written for torchvision", flush=True)
        loaders = {name: torchvision_loader(folder, options.threads, name) for name in decoders()}
        for loader in loaders.values():
            run_torchvision(loader, 0)
        rates: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            for name, loader in loaders.items():
                rates.setdefault(f"torchvision {name}", []).append(run_torchvision(loader, options.seconds))
            for pixels in ("exact", "fast"):
                rate = run_stoker(options.stoker, options.source, options.threads, options.seconds, pixels)
                rates.setdefault(f"stoker {pixels}", []).append(rate)
    peers = [rates[f"torchvision {name}"] for name in loaders]
    best_peer = [max(values) for values in zip(*peers)]
    for name, values in rates.items():
        ratios = [value / peer for value, peer in zip(values, best_peer)]
        print(f"{name:24} {statistics.median(values):8.0f} images/s   {statistics.median(ratios):.2f} of the better torchvision "
              f"({min(ratios):.2f}-{max(ratios):.2f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
