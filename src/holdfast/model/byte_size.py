"""Sizes as people write them: "512MiB", "1.5GiB", "200MB", or a number of bytes."""

import math
import re

from holdfast.model.error import InvalidOption

Size = str | int

_BYTES = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_SHAPE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?b)?")
_HINT = 'write a string such as "512MiB", "1.5GiB" or "200MB", or a number of bytes'


def parse_size(value: Size) -> int:
    """`value` as a number of bytes."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidOption(
            f"A size must be a number of bytes or a string with a unit (got {value!r}).", _HINT
        )
    size = value if isinstance(value, int) else _bytes_in(value)
    if size < 1:
        raise InvalidOption(f"A size must be greater than zero (got {value!r}).", _HINT)
    return size


def _bytes_in(text: str) -> int:
    found = _SHAPE.fullmatch(text.strip().lower())
    unit = None if found is None else _BYTES.get(found[2] or "")
    if found is None or unit is None:
        raise InvalidOption(
            f"A size must be a number of bytes or a string with a unit (got {text!r}).", _HINT
        )
    size = float(found[1]) * unit
    if not math.isfinite(size):
        raise InvalidOption(f"A size must be a finite number (got {text!r}).", _HINT)
    return int(size)
