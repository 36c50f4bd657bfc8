"""Messages between the worker and its children: four bytes of length, then JSON. No pickle anywhere."""

import json
from typing import Any

Message = dict[str, Any]

HEAD = 4
LARGEST = 2**31  # an output of 16 MiB may be six times as long with its characters escaped


def pack(message: Message) -> bytes:
    body = json.dumps(message).encode()
    return len(body).to_bytes(HEAD, "big") + body


def length_of(head: bytes) -> int:
    """Raises ValueError if it is not the head of a message."""
    length = int.from_bytes(head, "big")
    if length > LARGEST:
        raise ValueError(f"a message has {length} bytes, which is too long")
    return length


def unpack(body: bytes) -> Message:
    """Raises ValueError if it is not a message."""
    message = json.loads(body)
    if not isinstance(message, dict):
        raise ValueError("a message is an object")
    return message
