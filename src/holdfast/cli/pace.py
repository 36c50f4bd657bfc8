"""How fast a bulk action goes: `100/s`, `30/m`, or a number of jobs per second."""

import asyncio
import re
import time
from typing import Annotated

import typer

from holdfast.model.error import InvalidOption

STEPS_PER_SECOND = 4.0
SECONDS = {"s": 1.0, "m": 60.0, "h": 3_600.0}
SHAPE = re.compile(r"(\d+(?:\.\d+)?)(?:/([smh]))?")

PaceOption = Annotated[
    str | None, typer.Option(metavar="N/s", help="At most so many jobs, such as 100/s or 30/m.")
]


def read_pace(text: str | None) -> float | None:
    """Jobs per second; None is as fast as it goes."""
    if text is None:
        return None
    found = SHAPE.fullmatch(text.strip())
    pace = float(found[1]) / SECONDS[found[2] or "s"] if found else 0.0
    if pace <= 0:
        raise InvalidOption(f"{text!r} is not a pace.", "write it as 100/s or 30/m")
    return pace


class Pacer:
    """Keeps what was done so far at or below the pace."""

    def __init__(self, pace: float | None) -> None:
        self._pace = pace
        self._start = time.monotonic()

    def step(self, most: int) -> int:
        """How many to do at once, so that it goes smoothly."""
        return most if self._pace is None else max(1, min(most, int(self._pace / STEPS_PER_SECOND)))

    async def keep(self, done: int) -> None:
        if self._pace is not None:
            await asyncio.sleep(max(0.0, self._start + done / self._pace - time.monotonic()))
