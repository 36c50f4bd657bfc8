"""The header `Idempotency-Key`, which makes a repeated request harmless."""

import re

from starlette.requests import Request

from holdfast.model.error import InvalidOption

REPEATABLE = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 255},
    "example": "welcome-17",
}
_PRINTABLE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")


def idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not _PRINTABLE.fullmatch(key):
        raise InvalidOption(
            "Idempotency-Key must have 1 to 255 printable ASCII characters.",
            "send a random text, such as a UUID",
        )
    return key


def refuse_idempotency_key(request: Request) -> None:
    if idempotency_key(request) is not None:
        raise InvalidOption(
            "This route does not accept an Idempotency-Key.",
            "give each job a unique_key: a repeated request then stores nothing twice",
        )
