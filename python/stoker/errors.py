"""What Stoker raises: each error is also the exception of Python's own that fits it."""

from __future__ import annotations

__all__ = [
    "CancelledError",
    "CorruptDataError",
    "Error",
    "InternalError",
    "InvalidArgumentError",
    "IOFailedError",
    "NotFoundError",
    "OutOfResourcesError",
    "UnavailableError",
    "UnsupportedError",
]


class Error(Exception):
    """Every error of Stoker.

    code: what kind of failure it is, as the command line and C++ name it, for example "corrupt_data".
    operation, object, found, allowed, next_step: what str() joins; "" where there is nothing to say.
    """

    code: str = "internal"
    operation: str = ""
    object: str = ""
    found: str = ""
    allowed: str = ""
    next_step: str = ""


class InvalidArgumentError(Error, ValueError):
    """The caller asked for something that no input could make right."""

    code = "invalid_argument"


class NotFoundError(Error, FileNotFoundError):
    """The named object does not exist."""

    code = "not_found"


class CorruptDataError(Error, ValueError):
    """The object exists and its bytes break their format."""

    code = "corrupt_data"


class UnsupportedError(Error, ValueError):
    """Well formed, and beyond what this build can do."""

    code = "unsupported"


class IOFailedError(Error, OSError):
    """The operating system or the network refused."""

    code = "io"


class UnavailableError(Error, ConnectionError):
    """May be retried."""

    code = "unavailable"


class OutOfResourcesError(Error, MemoryError):
    """Memory, disk space, descriptors, or a limit such as max_pixels."""

    code = "out_of_resources"


class CancelledError(Error, RuntimeError):
    """Stopped on request."""

    code = "cancelled"


class InternalError(Error, RuntimeError):
    """A fault of Stoker's."""

    code = "internal"


_BY_CODE: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (
        InvalidArgumentError,
        NotFoundError,
        CorruptDataError,
        UnsupportedError,
        IOFailedError,
        UnavailableError,
        OutOfResourcesError,
        CancelledError,
        InternalError,
    )
}


def of_code(code: str, message: str, operation: str, object: str, found: str, allowed: str, next_step: str) -> Error:
    """The exception for an error of the library, which calls this."""
    error = _BY_CODE.get(code, InternalError)(message)
    error.operation, error.object, error.found = operation, object, found
    error.allowed, error.next_step = allowed, next_step
    return error
