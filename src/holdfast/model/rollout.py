"""A gradual roll-out: which part of the keys takes a new way."""

import re
from dataclasses import dataclass
from datetime import datetime

from holdfast.model.error import InvalidOption

# "off", "on", "20%" or a number of percent.
Share = str | float

_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)\s*%?")
_WORDS = {"off": 0.0, "on": 100.0}


@dataclass(frozen=True, slots=True)
class Rollout:
    """`percent`: how many of 100 keys are in it; 0 is off, 100 is on."""

    name: str
    percent: float
    changed_at: datetime

    @property
    def share(self) -> str:
        """off, on, or the percentage as people write it."""
        return share_words(self.percent)


def share_words(percent: float) -> str:
    return {0.0: "off", 100.0: "on"}.get(percent, f"{percent:g}%")


def parse_share(share: Share) -> float:
    """How many percent of the keys."""
    text = str(share).strip().lower()
    found = _PERCENT.fullmatch(text)
    percent = _WORDS.get(text, float(found[1]) if found else -1.0)
    if not 0 <= percent <= 100:
        raise InvalidOption(
            f"A roll-out must be off, on, or a percentage from 0% to 100% (got {share!r}).",
            "write it as off, 20%, 0.5% or on; it has at most two decimals",
        )
    return percent
