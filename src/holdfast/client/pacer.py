"""How fast a bulk action goes: `100/s`, `30/m`, or a number of jobs per second."""

import asyncio
import re
import time

from holdfast.model.error import InvalidOption

STEPS_PER_SECOND = 4.0  # a pace below this goes one by one
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3_600.0}
_SHAPE = re.compile(r"(\d+(?:\.\d+)?)(?:/([smh]))?")


def read_pace(text: str | None) -> float | None:
    """Jobs per second; None is as fast as it goes."""
    if text is None:
        return None
    found = _SHAPE.fullmatch(text.strip())
    pace = float(found[1]) / _SECONDS[found[2] or "s"] if found else 0.0
    if pace <= 0:
        raise InvalidOption(
            f"The pace must be a number of jobs per second or minute (got {text!r}).",
            "write it as 100/s or 30/m",
        )
    return pace


class Pacer:
    """Keeps the number of jobs done at or below the pace, from the moment it is made."""

    def __init__(self, pace: float | None) -> None:
        if pace is not None and not pace > 0:
            raise InvalidOption(
                f"The pace must be above 0 (got {pace}).", "pass the number of jobs per second"
            )
        self._pace = pace
        self._start = time.monotonic()

    def step(self, most: int) -> int:
        """How many to do at once, so that it goes smoothly."""
        return most if self._pace is None else max(1, min(most, int(self._pace / STEPS_PER_SECOND)))

    async def keep(self, done: int) -> None:
        if self._pace is not None:
            await asyncio.sleep(max(0.0, self._start + done / self._pace - time.monotonic()))
