"""Who is measured, in which setting: one line each. The settings themselves are told at the heads of loaders/*.py."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    name: str
    environment: str  # requirements/NAME.txt
    module: str  # in loaders/
    packages: tuple[str, ...]  # whose versions the table tells
    antialiased: bool
    bounds: tuple[float, float]  # agreement.py: of the mean, and of the 99th percentile
    options: dict = field(default_factory=dict)
    same_bytes: bool = True  # decodes the JPEGs as they are, not a copy of lower quality

    @property
    def own(self) -> bool:
        return self.environment == "stoker"

    def excuse(self) -> str:
        """What keeps it from the comparison of equals."""
        return ", ".join(words for holds, words in ((self.antialiased, "not antialiased"), (self.same_bytes, "files encoded anew")) if not holds)


# Bounds of the pixels of probe.py's photos, levels of 255, from Pillow's. SAME: the same filter on the same decoded picture, rounded
# elsewhere; CLOSE: the same filter behind arithmetic that trades exactness for time (fast transforms, FFmpeg's conversion of colours);
# OTHER: another filter, or files encoded anew; ROUGH: nothing is antialiased, so that fine detail differs at will.
SAME, CLOSE, OTHER, ROUGH = (0.3, 2), (1.5, 8), (3, 20), (12, 80)


def stoker(name: str, bounds: tuple[float, float], **options) -> Peer:
    return Peer(name, "stoker", "stoker_loader", (), True, bounds, options)


SEEK, PLAIN = "Stoker, seek index", "Stoker, no seek index"
PEERS = (
    stoker(SEEK, (0, 0), pixels="exact", seek_index="automatic"),
    stoker(SEEK + ", fast", CLOSE, pixels="fast", seek_index="automatic"),
    stoker(PLAIN, (0, 0), pixels="exact", seek_index="off"),
    stoker(PLAIN + ", fast", CLOSE, pixels="fast", seek_index="off"),
    Peer("tf.data", "tensorflow", "tfdata", ("tensorflow-cpu",), False, ROUGH, {"antialias": False}),
    Peer("tf.data, antialias", "tensorflow", "tfdata", ("tensorflow-cpu",), True, CLOSE, {"antialias": True}),
    Peer("Pillow-SIMD, threads", "pillow_simd", "pillow_threads", ("pillow-simd",), True, SAME, {"draft": False}),
    Peer("Pillow-SIMD, threads, draft", "pillow_simd", "pillow_threads", ("pillow-simd",), True, CLOSE, {"draft": True}),
    Peer("Pillow, threads", "reference", "pillow_threads", ("pillow",), True, SAME, {"draft": False}),
    Peer("OpenCV, threads, area", "opencv", "opencv_threads", ("opencv-python-headless",), True, OTHER, {"filter": "area"}),
    Peer("OpenCV, threads, linear", "opencv", "opencv_threads", ("opencv-python-headless",), False, ROUGH, {"filter": "linear"}),
    Peer("Grain + OpenCV, area", "opencv", "grain_loader", ("grain", "opencv-python-headless"), True, OTHER, {"filter": "area"}),
    Peer("torchvision, decode_jpeg", "torch", "torchvision_loader", ("torchvision", "torch"), True, SAME, {"decoder": "io"}),
    Peer("torchvision, Pillow", "torch", "torchvision_loader", ("torchvision", "pillow"), True, SAME, {"decoder": "pil"}),
    Peer("webdataset + Pillow", "torch", "webdataset_loader", ("webdataset", "pillow"), True, SAME),
    Peer("DALI, CPU", "dali", "dali_pipeline", ("nvidia-dali-cuda130",), True, SAME),
    Peer("MXNet ImageRecordIter", "mxnet", "mxnet_iter", ("mxnet",), False, ROUGH),
    Peer("FFCV, jpg", "ffcv", "ffcv_loader", ("ffcv", "numba"), True, OTHER, same_bytes=False),
    Peer("SPDL", "spdl", "spdl_pipeline", ("spdl-io",), True, CLOSE),
)


@dataclass(frozen=True)
class Bar:
    """How many times the images per CPU second of the best peer of a kind Stoker must load."""

    own: tuple[str, ...]  # the better of these
    kind: str
    task: str
    times: float

    def admits(self, peer: Peer) -> bool:
        return not peer.own and (self.kind == ANY or not peer.excuse())


EQUALS, ANY = "antialiased, the same bytes", "of any quality"
SEEKING, PLAINLY = (SEEK, SEEK + ", fast"), (PLAIN, PLAIN + ", fast")
BARS = (
    Bar(SEEKING, EQUALS, "train", 4.5),
    Bar(PLAINLY, EQUALS, "train", 2.4),
    Bar(SEEKING, ANY, "train", 3.3),
    Bar(SEEKING, EQUALS, "eval", 2.0),
    Bar(PLAINLY, EQUALS, "eval", 2.0),
)
