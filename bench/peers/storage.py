"""The photos in every storage that a peer reads, packed by Stoker, bytes as they are: storage.py PHOTOS FOLDER, in Stoker's environment.

photos.rec (with .idx, and with the seek index) and four shards sharded-*.tar. They stay for the next call, unless Stoker is newer.
FFCV's .beton has other bytes: its own writer makes it, in loaders/ffcv_loader.py.
"""

import shutil
import sys
from pathlib import Path

SHARDS = 4


def paths(photos: Path, folder: Path) -> dict[str, str]:
    """What `open` of a loader is given as `data`."""
    return {"folder": str(photos), "rec": str(folder / "photos.rec"), "beton": str(folder / "photos.beton"),
            "tars": str(folder / f"sharded-{{000000..{SHARDS - 1:06d}}}.tar")}


def main() -> None:
    import stoker

    photos, folder = Path(sys.argv[1]), Path(sys.argv[2])
    done = folder / "done"
    if done.exists() and done.stat().st_mtime > Path(stoker._core.__file__).stat().st_mtime:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stoker.pack(photos, folder / "photos.rec")
    stoker.pack(photos, folder / "sharded.tar", shards=SHARDS, seek_index=False)
    done.touch()


if __name__ == "__main__":
    main()
