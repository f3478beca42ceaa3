"""Mapped: batches put through a function of the user's, by threads, ahead of the loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from .loader import Batch, Loader

T = TypeVar("T")


class Mapped(Generic[T]):
    """What Loader.map gives. Owns no thread but while it is iterated."""

    def __init__(self, loader: Loader, function: Callable[[Batch], T], *, threads: int, ahead: int) -> None:
        if threads < 1 or ahead < 1:
            raise ValueError(f"threads={threads}, ahead={ahead}; allowed: 1 or more")
        self.loader = loader
        self._function, self._threads, self._ahead = function, threads, ahead
        self._state: dict[str, int] | None = None  # behind the batch that was given, while others are ahead of it

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[T]:
        waiting: deque[tuple[Future[T], dict[str, int]]] = deque()
        pool = ThreadPoolExecutor(self._threads, thread_name_prefix="stoker-map")
        self._state = self.loader.state_dict()
        try:
            for batch in Loader.__iter__(self.loader):
                waiting.append((pool.submit(self._function, batch), self.loader.state_dict()))
                if len(waiting) > self._ahead:
                    yield self._next(waiting)
            while waiting:
                yield self._next(waiting)
            self._state = None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _next(self, waiting: deque[tuple[Future[T], dict[str, int]]]) -> T:
        future, state = waiting.popleft()
        result = future.result()
        self._state = state
        return result

    def set_epoch(self, epoch: int) -> None:
        self.loader.set_epoch(epoch)
        self._state = None

    def state_dict(self) -> dict[str, int]:
        return self.loader.state_dict() if self._state is None else dict(self._state)

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.loader.load_state_dict(state)
        self._state = None
