"""Keys of model servers: read from the environment when they are used, and removed from every text."""

import os
from collections.abc import Mapping

from holdfast.model.error import NotConfigured

HIDDEN = "[redacted]"
# A shorter value would remove ordinary words from messages.
SHORTEST = 6


class Secrets:
    """Headers whose values are in environment variables."""

    __slots__ = ("_values", "headers")

    def __init__(self, variables: Mapping[str, str], prefixes: Mapping[str, str]) -> None:
        """Both by header; a prefix, such as `Bearer `, precedes the value."""
        values = {header: _read(variable) for header, variable in variables.items()}
        self.headers = {header: prefixes.get(header, "") + value for header, value in values.items()}
        self._values = sorted((v for v in values.values() if len(v) >= SHORTEST), key=len, reverse=True)

    def redact(self, text: str) -> str:
        for value in self._values:
            text = text.replace(value, HIDDEN)
        return text


def _read(variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise NotConfigured(
            f"An agent needs the environment variable {variable}, which is not set.",
            f"set {variable} where the worker runs, and restart the worker",
        )
    return value
