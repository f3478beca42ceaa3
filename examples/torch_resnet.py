#!/usr/bin/env python3
"""A plain PyTorch training of a ResNet on folders of photos, by torchvision's loader or by Stoker's: three lines differ.

usage: torch_resnet.py TRAIN [--loader stoker|torchvision|dataset] [--epochs N] [--batch-size N] [--workers N] [--size N] [--steps N]

TRAIN is a folder of class folders, or for Stoker any source. Prints images/s of each epoch and the share of it that the loop waited for data.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

import torch
from torch import nn


def make_loader(args: argparse.Namespace, device: torch.device) -> tuple[Iterable[tuple[torch.Tensor, torch.Tensor]], int]:
    """The loader, and the number of classes."""
    if args.loader == "stoker":
        import stoker.torch

        loader = stoker.torch.Loader(
            args.train, recipe=f"imagenet_train({args.size})", batch_size=args.batch_size, threads=args.workers, device=device, last_batch="drop")
        return loader, max(1, len(loader.classes))
    if args.loader == "dataset":
        import stoker.torch

        dataset = stoker.torch.Dataset(args.train, recipe=f"imagenet_train({args.size})")
    else:
        from torchvision import datasets, transforms

        dataset = datasets.ImageFolder(args.train, transforms.Compose([
            transforms.RandomResizedCrop(args.size), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
            transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))]))
    return torch.utils.data.DataLoader(
        dataset, batch_size=args.batch_size, shuffle=True, num_workers=args.workers, persistent_workers=args.workers > 0, drop_last=True,
        pin_memory=device.type == "cuda"), len(dataset.classes)


class Block(nn.Module):
    """Two 3 x 3 convolutions with a shortcut. Source: He et al. 2016, figure 2."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
            nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.shortcut = nn.Identity() if before == after and stride == 1 else nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def make_model(classes: int) -> nn.Module:
    """A ResNet-10 of a quarter of the usual width, so that it also moves on a CPU."""
    return nn.Sequential(
        nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2), Block(64, 128, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, classes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("--loader", choices=["stoker", "torchvision", "dataset"], default="stoker")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2, help="threads of Stoker, processes of DataLoader")
    parser.add_argument("--size", type=int, default=64, help="of the crops")
    parser.add_argument("--steps", type=int, default=0, help="at most so many an epoch")
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader, classes = make_loader(args, device)
    model = make_model(classes).to(device, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for epoch in range(args.epochs):
        images_seen, waited, loss = 0, 0.0, torch.zeros(())
        begin = left = time.perf_counter()
        for step, (images, labels) in enumerate(loader):
            waited += time.perf_counter() - left
            images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            images_seen += len(images)
            left = time.perf_counter()
            if step + 1 == args.steps:
                break
        took = time.perf_counter() - begin
        print(f"epoch {epoch}: loss {loss.item():.3f}, {images_seen / took:.1f} images/s, {waited / took:.1%} of the time waiting for data", flush=True)


if __name__ == "__main__":
    main()
