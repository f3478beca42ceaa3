"""torchvision's v2 transforms behind PyTorch's DataLoader, N persistent workers, antialias on.

decoder: "io" (decode_jpeg, libjpeg-turbo) or "pil" (Pillow, the default of ImageFolder).
"""

import torch
from common import BATCH, MEAN, SHORT, SIDE, STD, photos
from PIL import Image
from torchvision import io
from torchvision.transforms import v2


def steps(task: str, dtype: str):
    crop = ([v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()] if task == "train"
            else [v2.Resize(SHORT, antialias=True), v2.CenterCrop(SIDE)])
    if dtype == "f32":
        crop += [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    return v2.Compose(crop)


class Photos(torch.utils.data.Dataset):
    def __init__(self, folder: str, task: str, dtype: str, decoder: str) -> None:
        self.paths, self.decoder = photos(folder), decoder
        self.transform = steps(task, dtype)
        if decoder == "pil":  # it resizes the picture before it becomes a tensor, as ImageFolder's users have it
            self.transform = v2.Compose([*self.transform.transforms[:2], v2.PILToTensor(), *self.transform.transforms[2:]])

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> torch.Tensor:
        if self.decoder == "pil":
            return self.transform(Image.open(self.paths[i]).convert("RGB"))
        return self.transform(io.decode_jpeg(io.read_file(self.paths[i]), mode=io.ImageReadMode.RGB))


def open(data: dict, task: str, dtype: str, workers: int, decoder: str):
    loader = torch.utils.data.DataLoader(
        Photos(data["folder"], task, dtype, decoder), batch_size=BATCH, shuffle=task == "train", num_workers=workers,
        persistent_workers=True,
    )
    return lambda: iter(loader)
