#!/usr/bin/env python3
"""A ResNet trained by Lightning, its batches by Stoker; a run that ended goes on from its checkpoint, in the middle of an epoch too.

usage: lightning_resnet.py TRAIN [--checkpoints DIR] [--epochs N] [--batch-size N] [--threads N] [--size N] [--steps N]

TRAIN is a folder of class folders, or any other source. Prints images/s of each epoch and the share of it that the loop waited for data.
Run it again with the same --checkpoints and it goes on behind the last one.
"""

from __future__ import annotations

import argparse
import pathlib
import time
from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.profilers import Profiler
from torch import nn

import stoker
import stoker.torch


class Photos(lightning.LightningDataModule):
    """Batches of a source, the part of this rank."""

    def __init__(self, train: str, size: int, batch_size: int, threads: int) -> None:
        super().__init__()
        self.records = stoker.open(train)
        self.recipe, self.batch_size, self.threads = f"imagenet_train({size})", batch_size, threads

    def train_dataloader(self) -> stoker.torch.Loader:
        """Lightning puts the loader's state_dict into its checkpoints, and hands it back when a run goes on."""
        return stoker.torch.Loader(
            self.records, recipe=self.recipe, batch_size=self.batch_size, threads=self.threads, last_batch="drop",
            device=self.trainer.strategy.root_device, rank=self.trainer.global_rank, world_size=self.trainer.world_size)


def block(before: int, after: int, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Residual(nn.Module):
    """x + f(x) between blocks. Source: He et al. 2016."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(block(width, width, 1), nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.relu(x + self.body(x))


class ResNet(lightning.LightningModule):
    """A small ResNet, so that it also moves on a CPU."""

    def __init__(self, classes: int, learning_rate: float = 0.05) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.model = nn.Sequential(
            block(3, 16, 2), nn.MaxPool2d(3, 2, 1), Residual(16), block(16, 32, 2), Residual(32), block(32, 64, 2), Residual(64),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes)).to(memory_format=torch.channels_last)

    def training_step(self, batch: stoker.torch.Batch, step: int) -> torch.Tensor:
        images, labels = batch
        loss = nn.functional.cross_entropy(self.model(images), labels)  # leaves out the label -100, which bad samples have
        self.log("loss", loss, batch_size=len(images))
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=self.hparams["learning_rate"], momentum=0.9, nesterov=True)


class Waiting(Profiler):
    """Seconds that Lightning's loop stood in next(loader)."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = self.begin = 0.0

    def start(self, action_name: str) -> None:
        if action_name.endswith("train_dataloader_next"):
            self.begin = time.perf_counter()

    def stop(self, action_name: str) -> None:
        if action_name.endswith("train_dataloader_next"):
            self.seconds += time.perf_counter() - self.begin


class Speed(Callback):
    """Prints what each epoch gave, or the part of one that a run went on with."""

    def __init__(self, waiting: Waiting) -> None:
        self.waiting = waiting

    def on_train_start(self, trainer: lightning.Trainer, module: lightning.LightningModule) -> None:
        self.images, self.begin, self.waited = 0, time.perf_counter(), self.waiting.seconds

    def on_train_batch_end(self, trainer: lightning.Trainer, module: lightning.LightningModule, outputs: Any, batch: Any, step: int) -> None:
        self.images += len(batch.images) * trainer.world_size

    def on_train_epoch_end(self, trainer: lightning.Trainer, module: lightning.LightningModule) -> None:
        took = time.perf_counter() - self.begin
        trainer.print(f"epoch {trainer.current_epoch}: loss {trainer.callback_metrics['loss']:.3f}, {self.images / took:.1f} images/s, "
                      f"{(self.waiting.seconds - self.waited) / took:.1%} of the time waiting for data", flush=True)
        self.on_train_start(trainer, module)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("--checkpoints", type=pathlib.Path, help="a folder; one is written every 10 steps")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=0, help="that decode; 0: tuned")
    parser.add_argument("--size", type=int, default=64, help="of the crops")
    parser.add_argument("--steps", type=int, default=-1, help="at most so many in all")
    args = parser.parse_args()

    photos = Photos(args.train, args.size, args.batch_size, args.threads)
    waiting = Waiting()
    callbacks: list[Callback] = [Speed(waiting)]
    if args.checkpoints:
        callbacks.append(ModelCheckpoint(args.checkpoints, filename="last", every_n_train_steps=10, enable_version_counter=False))
    trainer = lightning.Trainer(
        max_epochs=args.epochs, max_steps=args.steps, callbacks=callbacks, profiler=waiting, logger=False,
        enable_checkpointing=bool(args.checkpoints), enable_progress_bar=False, enable_model_summary=False)
    last = args.checkpoints / "last.ckpt" if args.checkpoints else None
    trainer.fit(ResNet(max(1, len(photos.records.classes))), photos, ckpt_path=last if last and last.exists() else None)


if __name__ == "__main__":
    main()
