"""Hides values of fields that hold secrets from people who look at payloads; the data itself stays as it is.

A field is known by its name: `db_password`, `dbPassword` and `DB-PASSWORD` all have the word password,
`max_tokens` does not have the word token. A name and its value may also stand beside each other, as in the
headers of a request: `{"name": "Authorization", "value": …}` and `["Authorization", …]`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from holdfast.model.error import InvalidOption

# Words that follow each other are written as one.
USUAL = frozenset(
    {
        "password", "passwords", "passwd", "passphrase", "secret", "secrets", "token", "apikey", "apikeys",
        "authorization", "cookie", "cookies", "credential", "credentials", "privatekey", "accesskey",
    }
)  # fmt: skip
DEEPEST = 64  # levels, as many as a payload has
LONGEST_NAME = 200
_NAMES_OF_NAMES = frozenset({"name", "key", "field", "header"})
_NAMES_OF_VALUES = frozenset({"value", "values"})
# Words of a name: capitals begin one, as in apiKey and APIKey; digits stand alone.
_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAPITAL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Masked(str):
    """What stands for a hidden value: the text "masked", which a page can tell from a value that is so."""

    __slots__ = ()


MASKED = Masked("masked")


@dataclass(frozen=True, slots=True)
class Masking:
    """`names` are hidden wherever they are words of a field's name, `paths` where a field's path ends so."""

    names: frozenset[str] = USUAL
    paths: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def with_more(cls, more: Iterable[str]) -> Self:
        """The usual names, and more of them, or dotted paths such as author.email."""
        found = [_path(one) for one in more]
        names = {_joined(path[0]) for path in found if len(path) == 1}
        return cls(USUAL | names, frozenset(path for path in found if len(path) > 1))

    def masked(self, value: Any) -> Any:
        """A copy of a JSON value in which hidden values are MASKED, and so is what is nested too deeply."""
        return self._shown(value, (), 0)

    def hides(self, path: str) -> bool:
        """Whether the value at a dotted path, or one that it lies in, is hidden: a filter would reveal it."""
        names = [name for name in path.split(".") if not _is_place(name)]
        return any(self._hides(tuple(names[: place + 1])) for place in range(len(names)))

    def hides_in(self, value: Any) -> bool:
        """Whether a part of a JSON value is hidden."""
        return _has_mask(self.masked(value))

    def _shown(self, value: Any, above: tuple[str, ...], depth: int) -> Any:
        """`above`: the names that it lies under, without places in lists and names that look like them."""
        if isinstance(value, dict):
            return MASKED if depth == DEEPEST else self._shown_fields(value, above, depth + 1)
        if isinstance(value, list):
            return MASKED if depth == DEEPEST else self._shown_items(value, above, depth + 1)
        return value

    def _shown_fields(self, fields: dict[str, Any], above: tuple[str, ...], depth: int) -> dict[str, Any]:
        is_pair = any(
            name.casefold() in _NAMES_OF_NAMES and isinstance(value, str) and self._hides((*above, value))
            for name, value in fields.items()
        )
        shown = {}
        for name, value in fields.items():
            path = above if _is_place(name) else (*above, name)
            is_hidden = self._hides(path) or (is_pair and name.casefold() in _NAMES_OF_VALUES)
            shown[name] = MASKED if is_hidden else self._shown(value, path, depth)
        return shown

    def _shown_items(self, items: list[Any], above: tuple[str, ...], depth: int) -> list[Any]:
        match items:
            case [str() as name, _] if self._hides((*above, name)):
                return [name, MASKED]
        return [self._shown(one, above, depth) for one in items]

    def _hides(self, path: tuple[str, ...]) -> bool:
        """A field, by its name and the names that it lies under."""
        if not path:
            return False
        longest = max(map(len, self.names), default=0)
        if any(one in self.names for one in _parts(path[-1], longest)):
            return True
        folded = tuple(name.casefold() for name in path[-LONGEST_NAME:])
        return any(folded[-len(rule) :] == rule for rule in self.paths)


def _has_mask(shown: Any) -> bool:
    if isinstance(shown, dict):
        return any(map(_has_mask, shown.values()))
    return any(map(_has_mask, shown)) if isinstance(shown, list) else isinstance(shown, Masked)


def _path(given: str) -> tuple[str, ...]:
    path = tuple(name.casefold() for name in given.split(".") if not _is_place(name))
    if not path or not all(map(_joined, path)) or len(given) > LONGEST_NAME:
        raise InvalidOption(
            f"A field to mask must be a name or a path with dots (got {given[:LONGEST_NAME]!r}).",
            "write it as iban or author.email",
        )
    return path


def _is_place(name: str) -> bool:
    return name.removeprefix("-").isdecimal()


def _joined(name: str) -> str:
    return "".join(_words(name))


def _words(name: str) -> list[str]:
    """db_password, dbPassword and DB-PASSWORD are the words db and password."""
    spaced = _CAPITAL.sub(" ", unicodedata.normalize("NFKC", name))
    return [word.casefold() for word in _WORD.findall(spaced)]


def _parts(name: str, longest: int) -> Iterator[str]:
    """Words of a name, and words that follow each other as one: apiKey is api, key and apikey."""
    words = _words(name)
    for first in range(len(words)):
        for end in range(first + 1, len(words) + 1):
            part = "".join(words[first:end])
            if len(part) > longest:
                break
            yield part
