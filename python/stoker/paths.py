"""Paths as people give them, as bytes for the library."""

from __future__ import annotations

import os
from typing import Union

StrPath = Union[str, "os.PathLike[str]"]


def encoded(path: StrPath | None) -> bytes:
    """os.fsencode; b"" of None."""
    return b"" if path is None else os.fsencode(path)
