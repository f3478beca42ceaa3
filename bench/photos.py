"""Which files are measured."""

import glob
import os


def photos(folder: str) -> list[str]:
    """The JPEGs below `folder`, through links too, in the order of their paths. Errors: FileNotFoundError, where there is none."""
    found = sorted(path for path in glob.glob(os.path.join(glob.escape(str(folder)), "**", "*.[jJ][pP]*"), recursive=True) if os.path.isfile(path))
    if not found:
        raise FileNotFoundError(f"{folder}: no JPEG below it")
    return found
