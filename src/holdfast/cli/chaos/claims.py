"""How long the claims of a soak's workers take: each worker writes it down, the soak reads it."""

import os
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

from holdfast.worker import settle

PLACE = "HOLDFAST_SOAK_CLAIMS"  # the directory, in the environment of the workers
NOTE = struct.Struct("d")
WRITTEN_AT_ONCE = 16


def note_claims() -> None:
    """In a worker: from now on the seconds of every call that claims or settles are kept in a file."""
    if PLACE in os.environ:
        names = vars(settle)
        names["settle_and_claim"] = _noting(names["settle_and_claim"], Path(os.environ[PLACE]))


def _noting(claim: Callable[..., Awaitable[Any]], place: Path) -> Callable[..., Awaitable[Any]]:
    file = (place / str(os.getpid())).open("ab", buffering=WRITTEN_AT_ONCE * NOTE.size)

    async def noting(*args: Any) -> Any:
        began = perf_counter()
        found = await claim(*args)
        file.write(NOTE.pack(perf_counter() - began))
        return found

    return noting


class Claims:
    """What the workers have noted since it was asked last."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._read: dict[Path, int] = {}

    def p99(self) -> float:
        """Seconds; 0 if nobody has claimed."""
        times = [time for path in self._place.iterdir() for time in self._news(path)]
        return quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else sum(times)

    def _news(self, path: Path) -> list[float]:
        with path.open("rb") as file:
            file.seek(self._read.get(path, 0))
            data = file.read()
        whole = len(data) - len(data) % NOTE.size
        self._read[path] = self._read.get(path, 0) + whole
        return [time for (time,) in NOTE.iter_unpack(data[:whole])]
