#!/usr/bin/env python3
"""Fine-tunes a classifier of torchvision on photos that Stoker loads.

usage: finetune_torchvision.py TRAIN [--val VAL] [--model resnet18] [--weights DEFAULT|FILE] [--epochs N] [--batch-size N] [--threads N]
                               [--size N] [--steps N]

TRAIN and VAL are folders of class folders, or any other source. Prints images/s of each epoch, the share of it that the loop waited for data,
and with --val how many of those photos it knows.
"""

from __future__ import annotations

import argparse
import time

import torch
from torch import nn
from torchvision import models

import stoker.torch


def make_model(name: str, weights: str | None, classes: int) -> tuple[nn.Module, nn.Linear]:
    """A model whose last layer is a new one for `classes`, and that layer."""
    if weights is None or weights == "DEFAULT":
        model = models.get_model(name, weights=weights)
    else:
        model = models.get_model(name, weights=None)
        model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    path, last = [(path, layer) for path, layer in model.named_modules() if isinstance(layer, nn.Linear)][-1]
    head = nn.Linear(last.in_features, classes)
    parent, _, attribute = path.rpartition(".")
    setattr(model.get_submodule(parent), attribute, head)
    return model, head


@torch.inference_mode()
def accuracy(model: nn.Module, loader: stoker.torch.Loader) -> float:
    model.eval()
    right = sum(int((model(images).argmax(1) == labels).sum()) for images, labels in loader)
    return right / len(loader.records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("--val")
    parser.add_argument("--model", default="resnet18", help="a classifier's name in torchvision.models")
    parser.add_argument("--weights", help="DEFAULT: torchvision's own, which it downloads; or a file with a state_dict")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=0, help="that decode; 0: tuned")
    parser.add_argument("--size", type=int, default=224, help="of the crops")
    parser.add_argument("--steps", type=int, default=0, help="at most so many an epoch")
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    options = {"batch_size": args.batch_size, "threads": args.threads, "device": device, "channels_last": True}
    train = stoker.torch.Loader(args.train, recipe=f"imagenet_train({args.size})", last_batch="drop", **options)
    val = stoker.torch.Loader(args.val, recipe=f"imagenet_eval({args.size})", shuffle=False, **options) if args.val else None

    model, head = make_model(args.model, args.weights, len(train.classes))
    model.to(device, memory_format=torch.channels_last)
    # What is new learns faster than what has been learned.
    old = [parameter for parameter in model.parameters() if all(parameter is not new for new in head.parameters())]
    optimizer = torch.optim.SGD([{"params": old, "lr": 0.002}, {"params": head.parameters(), "lr": 0.02}], momentum=0.9, weight_decay=1e-4)
    for epoch in range(args.epochs):
        model.train()
        images_seen, waited, loss = 0, 0.0, torch.zeros(())
        begin = left = time.perf_counter()
        for step, (images, labels) in enumerate(train):
            waited += time.perf_counter() - left
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            images_seen += len(images)
            left = time.perf_counter()
            if step + 1 == args.steps:
                break
        took = time.perf_counter() - begin
        known = f", {accuracy(model, val):.1%} of {args.val} known" if val else ""
        print(f"epoch {epoch}: loss {loss.item():.3f}, {images_seen / took:.1f} images/s, {waited / took:.1%} of the time waiting for data{known}",
              flush=True)


if __name__ == "__main__":
    main()
