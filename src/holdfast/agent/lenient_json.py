"""Reads JSON of a model server; a value of the wrong type counts as absent."""

import math
from collections.abc import Mapping
from typing import Any


def text(value: object) -> str:
    """The text of a message: a string, or parts of which some are text."""
    if isinstance(value, list):
        return "".join(text(part.get("text")) for part in value if isinstance(part, Mapping))
    return value if isinstance(value, str) else ""


def number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return max(0.0, float(value))


def count(value: object) -> int | None:
    return None if isinstance(value, bool) or not isinstance(value, int) or value < 0 else value


def objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
