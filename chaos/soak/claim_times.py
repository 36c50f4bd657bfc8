"""How long claims take: each worker writes the times to a file, the soak reads them."""

import os
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

from holdfast.worker.settle import settle_loop

PLACE = "HOLDFAST_SOAK_CLAIMS"  # the directory, in the environment of the workers
RECORD = struct.Struct("d")
WRITTEN_AT_ONCE = 16


def record_claim_times() -> None:
    """In a worker: write the seconds of every call that claims or settles to a file."""
    if PLACE in os.environ:
        names = vars(settle_loop)
        names["settle_and_claim"] = _recording(names["settle_and_claim"], Path(os.environ[PLACE]))


def _recording(claim: Callable[..., Awaitable[Any]], place: Path) -> Callable[..., Awaitable[Any]]:
    file = (place / str(os.getpid())).open("ab", buffering=WRITTEN_AT_ONCE * RECORD.size)

    async def recording(*args: Any) -> Any:
        began = perf_counter()
        found = await claim(*args)
        file.write(RECORD.pack(perf_counter() - began))
        return found

    return recording


class ClaimTimes:
    """What the workers have written since the last call."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._read: dict[Path, int] = {}

    def p99(self) -> float:
        """Seconds; 0 if no worker has claimed."""
        times = [time for path in self._place.iterdir() for time in self._new_times(path)]
        return quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else sum(times)

    def _new_times(self, path: Path) -> list[float]:
        with path.open("rb") as file:
            file.seek(self._read.get(path, 0))
            data = file.read()
        whole = len(data) - len(data) % RECORD.size
        self._read[path] = self._read.get(path, 0) + whole
        return [time for (time,) in RECORD.iter_unpack(data[:whole])]
