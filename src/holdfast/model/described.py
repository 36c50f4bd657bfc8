"""Values in words that do not give them away: a payload may hold secrets, and errors are stored and shown."""

from collections.abc import Mapping, Sized
from typing import Any


def described(value: Any) -> str:
    """Its type and length, such as `str of length 12`."""
    kind = type(value).__name__
    return f"{kind} of length {len(value)}" if isinstance(value, Sized) else kind


def fault_of(error: Mapping[str, Any]) -> str:
    """One error of pydantic's; of its own messages only this one quotes what was given."""
    if error["type"] == "union_tag_invalid":
        known = error["ctx"]
        return f"Input tag found using {known['discriminator']} is none of {known['expected_tags']}"
    return str(error["msg"])
