"""The JSON object that a request carries, read field by field: each is checked, and none is ignored."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Self
from uuid import UUID

from starlette.requests import Request

from holdfast.client.job_documents import read_document
from holdfast.client.read_id import read_id
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidPayload

MOST_NAMES = 1000
LONGEST_NAME = 200


class Body:
    """Each method takes a field; None: it is missing or null. `close` refuses what is left."""

    def __init__(self, document: Mapping[str, Any], path: str = "$") -> None:
        self._left = dict(document)
        self._path = path

    @classmethod
    async def of(cls, request: Request) -> Self:
        """An empty body is an empty object."""
        return cls(read_document(await request.body() or b"{}"))

    def close(self) -> None:
        if self._left:
            name = min(self._left)
            raise InvalidPayload(f"There is no field {name}.", "see /api/v1/openapi.json", self._path)

    def any(self, name: str) -> Any:
        return self._left.pop(name, None)

    def text(self, name: str, default: str | None = None) -> str:
        return self.maybe_text(name) or self._or(name, default)

    def maybe_text(self, name: str) -> str | None:
        value = self.any(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "a string")
        return value or None

    def flag(self, name: str) -> bool:
        value = self.any(name)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return bool(value)

    def number(self, name: str) -> float | None:
        value = self.any(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise self.wrong(name, "a number")
        return value

    def count(self, name: str, least: int, most: int) -> int | None:
        value = self.any(name)
        if value is not None and (type(value) is not int or not least <= value <= most):
            raise self.wrong(name, f"an integer from {least} to {most:,}")
        return value

    def duration(self, name: str, most: timedelta = timedelta(days=365)) -> timedelta | None:
        value = self.any(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self.wrong(name, "a number of seconds")
        found = parse_duration(value)
        if found > most:
            raise self.wrong(name, f"at most {most.total_seconds():,.0f} seconds")
        return found

    def id(self, name: str) -> UUID:
        return read_id(self.text(name))

    def names(self, name: str) -> list[str] | None:
        value = self._list(name, "a list of names")
        if value is not None and not all(
            isinstance(one, str) and 1 <= len(one) <= LONGEST_NAME for one in value
        ):
            raise self.wrong(name, f"a list of names of 1 to {LONGEST_NAME} characters")
        return value

    def ids(self, name: str) -> list[UUID] | None:
        value = self._list(name, "a list of ids")
        return None if value is None else [read_id(one) for one in value]

    def part(self, name: str) -> "Body | None":
        value = self.any(name)
        return None if value is None else self._body(value, name, f"{self._path}.{name}")

    def parts(self, name: str) -> Sequence["Body"]:
        found = self._list(name, "a list of objects") or []
        return [self._body(one, name, f"{self._path}.{name}[{i}]") for i, one in enumerate(found)]

    def wrong(self, name: str, must_be: str) -> InvalidPayload:
        return InvalidPayload(f"{name} must be {must_be}.", path=f"{self._path}.{name}")

    def _list(self, name: str, what: str) -> list[Any] | None:
        value = self.any(name)
        if value is not None and (not isinstance(value, list) or len(value) > MOST_NAMES):
            raise self.wrong(name, f"{what}, at most {MOST_NAMES:,}")
        return value

    def _body(self, value: Any, name: str, path: str) -> "Body":
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Body(value, path)

    def _or(self, name: str, default: str | None) -> str:
        if default is None:
            raise self.wrong(name, "a non-empty string")
        return default
