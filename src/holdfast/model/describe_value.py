"""Descriptions of values without their content: payloads may hold secrets, and errors are shown."""

from collections.abc import Mapping, Sized
from typing import Any


def described(value: Any) -> str:
    """Its type and length, such as `str of length 12`."""
    kind = type(value).__name__
    return f"{kind} of length {len(value)}" if isinstance(value, Sized) else kind


def fault_of(error: Mapping[str, Any]) -> str:
    """One pydantic error; of pydantic's messages, only this one quotes the input."""
    if error["type"] == "union_tag_invalid":
        known = error["ctx"]
        return f"Input tag found using {known['discriminator']} is none of {known['expected_tags']}"
    return str(error["msg"])
