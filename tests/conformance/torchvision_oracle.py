#!/usr/bin/env python3
"""Compares the trainer's networks with torchvision's: weights out, weights in, outputs, and steps of training.

usage: torchvision_oracle.py WEIGHTS_PROBE

Exit status: 0 all equal, 1 not, 77 skipped (torchvision is absent; `./dev test --all` installs it).
"""

import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
try:
    import numpy as np
    import torch

    try:
        import torchvision
    except RuntimeError:
        # torchvision's compiled operators may be built for another build of torch. The networks need none of them.
        library = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            library.define(operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        import torchvision
except ImportError as error:
    print(f"skipped: {error.name} is absent")
    sys.exit(SKIP)

CLASSES, COUNT, SIDE = 10, 4, 64
# Of the largest logit. Both sides sum in f32, in different orders.
TOLERANCE = 1e-4

failures = []


def check(what: str, is_right: bool, detail: object = "") -> None:
    print(f"{'ok  ' if is_right else 'FAIL'} {what} {detail}", flush=True)
    if not is_right:
        failures.append(what)


class Probe:
    def __init__(self, program: str, folder: pathlib.Path):
        self.program, self.folder = program, folder
        generator = np.random.default_rng(5)
        self.pixels = generator.standard_normal((COUNT, SIDE, SIDE, 3), dtype=np.float32)
        (folder / "pixels").write_bytes(self.pixels.tobytes())
        self.images = torch.from_numpy(self.pixels).permute(0, 3, 1, 2)

    def run(self, verb, layers, weights, *fields, classes=CLASSES):
        command = [self.program, verb, layers, classes, weights, self.folder / "pixels", COUNT, SIDE, *fields]
        return subprocess.run([str(field) for field in command], capture_output=True, text=True)

    def train(self, layers, weights, steps, options="-"):
        """The losses, and the exported state_dict."""
        out = self.folder / "trained.pt"
        done = self.run("train", layers, weights, steps, options, out)
        assert done.returncode == 0, done.stdout + done.stderr
        return [float(line) for line in done.stdout.split()], torch.load(out, weights_only=True)

    def forward(self, layers, weights):
        out = self.folder / "logits"
        done = self.run("forward", layers, weights, out)
        assert done.returncode == 0, done.stdout + done.stderr
        return torch.from_numpy(np.fromfile(out, dtype=np.float32).reshape(COUNT, CLASSES))


def make(layers: int):
    torch.manual_seed(layers)
    model = getattr(torchvision.models, f"resnet{layers}")(num_classes=CLASSES)
    with torch.no_grad():  # statistics that are no longer the first ones
        for name, tensor in model.state_dict().items():
            if name.endswith("running_var"):
                tensor.uniform_(0.5, 2)
            elif name.endswith("running_mean"):
                tensor.normal_(0, 0.1)
    return model.eval()


def logits_of(model, images):
    with torch.no_grad():
        return model.eval()(images)


def difference(one, other) -> float:
    return float((one - other).abs().max() / other.abs().max())


def check_export(probe: Probe, layers: int) -> None:
    _, state_dict = probe.train(layers, "-", 2)
    model = make(layers)
    model.load_state_dict(state_dict, strict=True)
    found = difference(probe.forward(layers, probe.folder / "trained.pt"), logits_of(model, probe.images))
    check(f"resnet{layers}: export, strict=True, equal outputs", found < TOLERANCE, f"{found:.1e}")


def check_import(probe: Probe) -> None:
    for layers in (18, 50):
        model = make(layers)
        expected = logits_of(model, probe.images)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        model(probe.images).sum().backward()
        optimizer.step()
        model.load_state_dict(make(layers).state_dict())
        parallel = {"module." + name: tensor for name, tensor in model.state_dict().items()}
        checkpoint = {"epoch": 3, "best": 71.5, "state_dict": parallel, "optimizer": optimizer.state_dict()}
        half = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in parallel.items()}
        for what, content, tolerance, options in (
            ("state_dict", model.state_dict(), TOLERANCE, {}),
            ("channels_last", make(layers).to(memory_format=torch.channels_last).state_dict(), TOLERANCE, {}),
            ("protocol 4", model.state_dict(), TOLERANCE, {"pickle_protocol": 4}),
            ("with optimiser, under module.", checkpoint, TOLERANCE, {}),
            ("keep_vars", model.state_dict(keep_vars=True), TOLERANCE, {}),
            ("float16", half, 0.05, {}),  # the weights themselves are rounded to 11 bits
        ):
            torch.save(content, probe.folder / "in.pt", **options)
            found = difference(probe.forward(layers, probe.folder / "in.pt"), expected)
            check(f"resnet{layers}: import, {what}", found < tolerance, f"{found:.1e}")


def check_refusals(probe: Probe) -> None:
    model = make(18)
    for what, content, options, code, text in (
        ("the old format", model.state_dict(), {"_use_new_zipfile_serialization": False}, "unsupported", "1.6"),
        ("a whole model", model, {}, "unsupported", "torchvision.models.resnet.ResNet"),
        ("another network", make(34).state_dict(), {}, "invalid_argument", "layer1.2.conv1.weight"),
    ):
        torch.save(content, probe.folder / "in.pt", **options)
        done = probe.run("forward", 18, probe.folder / "in.pt", probe.folder / "logits")
        check(f"refused: {what}", done.returncode == 1 and done.stdout.startswith(code) and text in done.stdout,
              done.stdout.strip()[:160])


def check_training(probe: Probe, options: str, tolerance: float) -> None:
    """The same steps in Python: torchvision's reference recipe, without decay of norms and biases."""
    torch.save(make(18).state_dict(), probe.folder / "in.pt")
    losses, trained = probe.train(18, probe.folder / "in.pt", 4, options)
    model = make(18).train().to(memory_format=torch.channels_last)
    groups = [{"params": [p for p in model.parameters() if (p.dim() > 1) == decays],
               "weight_decay": 0.01 if decays else 0.0} for decays in (True, False)]
    optimizer = torch.optim.SGD(groups, lr=0.02, momentum=0.9, nesterov="nesterov" in options)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9), use_buffers=True)
    labels = torch.arange(COUNT) % CLASSES
    expected = []
    for _ in losses:
        with torch.autocast("cpu", torch.bfloat16, enabled="bf16" in options):
            logits = model(probe.images)
        loss = torch.nn.functional.cross_entropy(logits.float(), labels, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        average.update_parameters(model)
        expected.append(loss.item())
    found = max(abs(mine - theirs) / theirs for mine, theirs in zip(losses, expected))
    check(f"resnet18: losses of 4 steps, {options}", found < tolerance, f"{found:.1e}")
    reference = (average.module if "ema" in options else model).state_dict()
    assert list(trained) == list(reference)
    # Of all that moved. Counts are left out: AveragedModel's mean of them, cut to an integer, stays at 1.
    start = make(18).state_dict()
    names = [name for name in reference if not name.endswith("num_batches_tracked")]
    apart, moved = (sum(float((one[name] - reference[name]).square().sum()) for name in names) ** 0.5
                    for one in (trained, start))
    check(f"resnet18: weights behind them, {options}", apart < 10 * tolerance * moved, f"{apart / moved:.1e}")


def main() -> int:
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        probe = Probe(sys.argv[1], pathlib.Path(folder))
        for layers in (18, 34, 50, 101, 152):
            check_export(probe, layers)
        check_import(probe)
        check_refusals(probe)
        check_training(probe, "-", 1e-3)
        check_training(probe, "nesterov,ema", 1e-3)
        # Eight bits a number, and the order of sums differs.
        check_training(probe, "bf16", 0.05)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
