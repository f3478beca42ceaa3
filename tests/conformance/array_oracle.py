#!/usr/bin/env python3
"""Compares Stoker's steps on arrays with NumPy's: every number type and order read, every step, what is written.

usage: array_oracle.py ARRAY_DUMP

ARRAY_DUMP is the program of that name. Exit status: 0 all within their bounds, 1 not, 77 skipped (NumPy is absent).
"""

import io
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error.name} is absent; `./dev test` installs tests/requirements.txt into .venv")
    sys.exit(SKIP)

LOG_FLOOR = 1e-20
# The bounds that src/array states, each with its reason.
AMPLITUDE_BOUND = 1e-6  # of a frame's largest: rounding of an FFT in single precision
RESIZE_BOUND = 4e-7     # of the larger neighbour: four roundings to 24 bits
LOG_BOUND = 1e-5        # rounding of logarithms up to 46 in single precision, and of a sum below it
HALF_BOUND = 2**-11     # of the number: rounding to 11 bits


class Checks:
    def __init__(self, program: str, folder: pathlib.Path):
        self.program, self.folder = program, folder
        self.compared, self.failures, self.worst = 0, [], {}

    def run(self, steps: str, array, version=(1, 0)):
        """The bytes of the new file, or the message of an error."""
        into, out = self.folder / "in.npy", self.folder / "out.npy"
        with open(into, "wb") as file:
            np.lib.format.write_array(file, np.asanyarray(array), version=version)
        answer = subprocess.run([self.program, steps], input=f"{into}\t{out}\n", capture_output=True, text=True, check=False)
        status = answer.stdout.strip()
        return out.read_bytes() if status == "ok" else status

    def array(self, steps: str, array):
        data = self.run(steps, array)
        if isinstance(data, str):
            self.failures.append(f"{steps} on {array.shape}: {data}")
            return None
        return np.load(io.BytesIO(data))

    def equal(self, what: str, data, wanted):
        """The file is what numpy.save writes, byte for byte."""
        self.compared += 1
        file = io.BytesIO()
        np.save(file, wanted)
        if data != file.getvalue():
            shown = data if isinstance(data, str) else f"{len(data)} bytes, {data[:110]!r}"
            self.failures.append(f"{what}: {shown}")

    def within(self, what: str, kind: str, got, wanted, bound):
        """|got - wanted| <= bound, number by number."""
        self.compared += 1
        if got is None:
            return
        if got.shape != wanted.shape:
            self.failures.append(f"{what}: shape {got.shape}, NumPy {wanted.shape}")
            return
        share = np.max(np.abs(got.astype(np.float64) - wanted) / bound)
        self.worst[kind] = max(self.worst.get(kind, 0), share)
        if not share <= 1:
            self.failures.append(f"{what}: {share:.2f} of its bound")


def power_of(array, window: int, hop: int):
    """The definition in src/array/power_spectra.hpp, in double precision: (…, bins, frames)."""
    weights = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    frames = np.lib.stride_tricks.sliding_window_view(array.astype(np.float64), window, axis=-1)[..., ::hop, :]
    power = np.abs(np.fft.rfft(frames * weights))**2 / np.sum(weights**2)
    return np.swapaxes(power, -1, -2)


def power_bound(power):
    """(a + e)^2 - a^2 where e is the amplitude's bound."""
    error = AMPLITUDE_BOUND * np.sqrt(power.max(axis=-2, keepdims=True))
    return 2 * np.sqrt(power) * error + error**2 + 1e-6 * power + 1e-37


def log_bound(power, bound):
    least = np.maximum(power - bound, LOG_FLOOR)
    most = np.maximum(power + bound, LOG_FLOOR)
    middle = np.log(np.maximum(power, LOG_FLOOR))
    return np.maximum(np.log(most) - middle, middle - np.log(least)) + LOG_BOUND


def mel_filters(rate: float, bands: int, window: int):
    """torchaudio's melscale_fbanks(window // 2 + 1, 0, rate / 2, bands, rate), transposed."""
    frequencies = np.linspace(0, rate / 2, window // 2 + 1)
    edges = 700 * (10**(np.linspace(0, 2595 * np.log10(1 + rate / 2 / 700), bands + 2) / 2595) - 1)
    up = (frequencies - edges[:-2, None]) / np.diff(edges)[:-1, None]
    down = (edges[2:, None] - frequencies) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(up, down))


def resized(array, length: int):
    places = np.clip((np.arange(length) + 0.5) * array.shape[-1] / length - 0.5, 0, array.shape[-1] - 1)
    low = places.astype(int)
    high = np.minimum(low + 1, array.shape[-1] - 1)
    array = array.astype(np.float64)
    larger = np.maximum(np.abs(array[..., low]), np.abs(array[..., high]))
    return array[..., low] + (array[..., high] - array[..., low]) * (places - low), larger


def check_reading(checks, rng):
    for dtype in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
        for order in "<>":
            for shape in [(7,), (3, 5), (2, 3, 4), (1, 1, 6, 2)]:
                if dtype[0] == "f":
                    array = rng.normal(size=shape).astype(order + dtype)
                else:
                    info = np.iinfo(dtype)
                    array = rng.integers(info.min, info.max, size=shape, dtype=dtype, endpoint=True).astype(order + dtype)
                for turned in [array, np.asfortranarray(array)]:
                    version = [(1, 0), (2, 0), (3, 0)][checks.compared % 3]
                    what = f"read {order}{dtype} {shape} fortran={not turned.flags.c_contiguous}"
                    wanted = np.ascontiguousarray(turned.astype("<f4"))
                    checks.equal(what, checks.run(f"resize(length={shape[-1]})", turned, version), wanted)


def check_halves(checks, rng):
    magnitude = np.exp(rng.uniform(np.log(1e-8), np.log(65000), size=20000))
    halves = np.arange(0x0001, 0x7BFF, dtype=np.uint16).view(np.float16).astype(np.float64)
    ties = (halves[:-1] + halves[1:]) / 2
    numbers = np.concatenate([magnitude, -magnitude, halves, ties, -ties, [0.0, -0.0]]).astype("<f4")
    checks.equal("float16", checks.run(f"resize(length={numbers.size}, dtype=float16)", numbers), numbers.astype("<f2"))


def check_spectra(checks, rng):
    for window, hop, samples in [(8, 3, 100), (30, 30, 90), (256, 64, 2560), (250, 1, 600), (1000, 333, 5000),
                                 (4096, 1024, 9000), (65536, 65536, 65536)]:
        array = (rng.normal(size=(3, samples)) * [[1e-5], [1], [300]]).astype(np.float32)
        array[1] += np.sin(np.arange(samples) * 0.3).astype(np.float32) * 50
        power = power_of(array, window, hop)
        bound = power_bound(power)
        name = f"window={window}, hop={hop}"
        got = checks.array(f"spectrogram({name}, log=false)", array)
        checks.within(f"spectrogram {name}", "power", got, power, bound)
        got = checks.array(f"spectrogram({name}, dtype=float32)", array)
        logs, logs_bound = np.log(np.maximum(power, LOG_FLOOR)), log_bound(power, bound)
        checks.within(f"spectrogram log {name}", "log", got, logs, logs_bound)
        got = checks.array(f"spectrogram({name})", array)
        checks.within(f"spectrogram float16 {name}", "float16 of log", got, logs,
                      logs_bound + HALF_BOUND * (np.abs(logs) + logs_bound))
        for rate, bands in [(256.0, 3), (16000.0, min(20, window // 8))]:
            filters = mel_filters(rate, bands, window)
            if np.any(filters.sum(axis=1) == 0):
                answer = checks.run(f"mel({rate}, {bands}, {name})", array)
                checks.compared += 1
                if not isinstance(answer, str) or "fewer bands" not in answer:
                    checks.failures.append(f"mel {rate} {bands} {name}: an empty band was not refused: {answer[:80]!r}")
                continue
            mel, mel_bound = filters @ power, filters @ bound
            mel_bound = mel_bound + 2e-7 * mel  # the last rounding
            got = checks.array(f"mel({rate}, {bands}, {name}, log=false)", array)
            checks.within(f"mel {rate} {bands} {name}", "mel", got, mel, mel_bound)
            got = checks.array(f"mel({rate}, {bands}, {name}, dtype=float32)", array)
            checks.within(f"mel log {rate} {bands} {name}", "log of mel", got, np.log(np.maximum(mel, LOG_FLOOR)),
                          log_bound(mel, mel_bound))
    tiny = np.zeros((2, 16), np.float32)
    got = checks.array("spectrogram(window=16, dtype=float32)", tiny)
    checks.within("silence", "log", got, np.full((2, 9, 1), np.log(LOG_FLOOR)), LOG_BOUND)


def check_resizes(checks, rng):
    for shape, length in [((1,), 4), ((2, 100), 37), ((3, 37), 100), ((2, 2, 2560), 1000), ((5, 4097), 4096)]:
        array = rng.normal(size=shape).astype(np.float32)
        wanted, larger = resized(array, length)
        got = checks.array(f"resize(length={length})", array)
        checks.within(f"resize {shape} to {length}", "resize", got, wanted, RESIZE_BOUND * larger + 1e-37)
    array = rng.normal(size=(4, 129, 37)).astype(np.float32)
    columns, _ = resized(array, 64)
    wanted, larger = resized(np.swapaxes(columns, -1, -2), 96)
    got = checks.array("resize(shape=96x64)", array)
    # The first pass's error goes through the second one.
    bound = RESIZE_BOUND * (np.swapaxes(larger, -1, -2) + np.max(np.abs(array)))
    checks.within("resize two axes", "resize of two axes", got, np.swapaxes(wanted, -1, -2), bound)


def main() -> int:
    rng = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(sys.argv[1], pathlib.Path(folder))
        check_reading(checks, rng)
        check_halves(checks, rng)
        check_spectra(checks, rng)
        check_resizes(checks, rng)
    for failure in checks.failures[:40]:
        print(f"DIFFERENT: {failure}")
    print(f"NumPy {np.__version__}: {checks.compared} arrays compared, {len(checks.failures)} differ; largest share of its bound: "
          + ", ".join(f"{kind} {share:.2f}" for kind, share in checks.worst.items()))
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
