#!/usr/bin/env python3
"""A small convolutional network in plain JAX, its batches by Stoker: images enter through DLPack, on a CPU without a copy.

usage: jax_train.py TRAIN [--epochs N] [--batch-size N] [--threads N] [--size N] [--steps N]

TRAIN is a folder of class folders, or any other source. Prints images/s of each epoch and the share of it that the loop waited for data.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import stoker

Parameters = list[dict[str, jax.Array]]  # of each layer: weight, bias
WIDTHS = (32, 64, 128)


def make_parameters(key: jax.Array, classes: int) -> Parameters:
    """Source: He et al. 2015, normal numbers of variance 2 / inputs."""
    layers: Parameters = []
    before = 3
    for width in WIDTHS:
        key, own = jax.random.split(key)
        layers.append({"weight": jax.random.normal(own, (3, 3, before, width)) * (2 / (9 * before)) ** 0.5, "bias": jnp.zeros(width)})
        before = width
    return [*layers, {"weight": jnp.zeros((before, classes)), "bias": jnp.zeros(classes)}]


def predict(parameters: Parameters, images: jax.Array) -> jax.Array:
    x = images
    for layer in parameters[:-1]:
        x = jax.lax.conv_general_dilated(x, layer["weight"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x + layer["bias"])
    return x.mean((1, 2)) @ parameters[-1]["weight"] + parameters[-1]["bias"]


def loss_of(parameters: Parameters, images: jax.Array, labels: jax.Array) -> jax.Array:
    """Bad samples have the label -1, whose one_hot is all zeros: they count for nothing."""
    logs = jax.nn.log_softmax(predict(parameters, images))
    return -(jax.nn.one_hot(labels, logs.shape[1]) * logs).sum() / jnp.maximum(1, (labels >= 0).sum())


@jax.jit
def train_step(parameters: Parameters, speed: Parameters, images: jax.Array, labels: jax.Array) -> tuple[Parameters, Parameters, jax.Array]:
    """SGD with momentum."""
    loss, slope = jax.value_and_grad(loss_of)(parameters, images, labels)
    speed = jax.tree.map(lambda v, g: 0.9 * v + g, speed, slope)
    return jax.tree.map(lambda p, v: p - 0.02 * v, parameters, speed), speed, loss


def to_device(batch: stoker.Batch, device: Any) -> tuple[jax.Array, jax.Array]:
    """Images: the loader's own memory where the device is the CPU. Labels are few, and JAX's integers are of 32 bits."""
    return jax.device_put(jax.dlpack.from_dlpack(batch.images), device), jax.device_put(np.asarray(batch.labels).astype(np.int32), device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=0, help="that decode; 0: tuned")
    parser.add_argument("--size", type=int, default=64, help="of the crops")
    parser.add_argument("--steps", type=int, default=0, help="at most so many an epoch")
    args = parser.parse_args()

    device = jax.devices()[0]
    # Batches of one size, so that the step is compiled once; nhwc is what convolutions of CPUs and GPUs like best.
    loader = stoker.Loader(
        args.train, recipe=f"imagenet_train({args.size}) tensor(f32, nhwc)", batch_size=args.batch_size, threads=args.threads, last_batch="drop")
    parameters = jax.device_put(make_parameters(jax.random.key(0), max(1, len(loader.classes))), device)
    speed = jax.tree.map(jnp.zeros_like, parameters)
    for epoch in range(args.epochs):
        images_seen, waited, loss = 0, 0.0, jnp.zeros(())
        begin = left = time.perf_counter()
        for step, batch in enumerate(loader):
            waited += time.perf_counter() - left
            images, labels = to_device(batch, device)
            parameters, speed, loss = train_step(parameters, speed, images, labels)
            loss.block_until_ready()  # else the loop runs ahead of the device, and its time would look like waiting
            images_seen += len(batch)
            left = time.perf_counter()
            if step + 1 == args.steps:
                break
        took = time.perf_counter() - begin
        print(f"epoch {epoch}: loss {loss.item():.3f}, {images_seen / took:.1f} images/s, {waited / took:.1%} of the time waiting for data", flush=True)


if __name__ == "__main__":
    main()
