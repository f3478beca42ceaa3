"""Photos on which pixels are compared: COUNT, made of some of PHOTOS, in FOLDER. Runs in the reference's environment:
probe.py PHOTOS FOLDER COUNT.

They are 576 × 384, or four of those in one, or the same upright. A short side of 384 becomes 256 by 2/3, one of 768 by 1/3, and the centre
of 224 then lies on whole pixels before and behind the resize: no peer has to round, so what is left of a difference is its decoder's and
its filter's. Those of four show what is not antialiased.
"""

import sys
from pathlib import Path

from PIL import Image, ImageOps

sys.path.insert(0, str(Path(__file__).parent.parent))

from photos import photos

LONG, SHORT = 576, 384


def main() -> None:
    folder, count = Path(sys.argv[2]), int(sys.argv[3])
    paths = photos(sys.argv[1])
    (folder / "photos").mkdir(parents=True, exist_ok=True)
    for i in range(count):
        four, size = i % 4 >= 2, (LONG, SHORT) if i % 8 < 4 else (SHORT, LONG)
        image = Image.new("RGB", (2 * size[0], 2 * size[1]) if four else size)
        for part in range(4 if four else 1):
            photo = Image.open(paths[(i * len(paths) // count + part) % len(paths)]).convert("RGB")
            image.paste(ImageOps.fit(photo, size), (part % 2 * size[0], part // 2 * size[1]))
        # Both samplings that photos have, so that upsampling is compared too.
        image.save(folder / "photos" / f"{i:05d}.jpg", quality=92, subsampling=("4:4:4", "4:2:0")[i % 2])


if __name__ == "__main__":
    main()
