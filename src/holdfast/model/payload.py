"""Payloads and outputs as JSON text that comes back equal, or an error with the JSON path.

Tuples are accepted as arrays and come back as lists; that is the only value that changes.
"""

import json
import re
from collections import Counter
from itertools import chain
from typing import Any, NewType

from holdfast.model.error import InvalidPayload
from holdfast.model.payload_fault import MOST_INTEGER_BITS, ReadAsZero, WithRepeatedKey, find_fault

JsonText = NewType("JsonText", str)

DEPTH = 64
LIMIT = 16 * 1024 * 1024
EMPTY = JsonText("{}")

_SCALARS = frozenset({str, int, float, bool, type(None)})
_ARRAYS = frozenset({list, tuple})
_KNOWN = _SCALARS | _ARRAYS | {dict}
_ONLY_TEXT = frozenset({str})
_SHORTEST_LONG_INTEGER = 400

_dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_read = json.JSONDecoder().raw_decode


def encode(value: Any, limit: int = LIMIT) -> JsonText:
    """`value` as compact JSON; raises InvalidPayload where it would not come back equal."""
    try:
        text = _dumps(value)
        size = len(text) if text.isascii() else len(text.encode())
    except (TypeError, ValueError, RecursionError) as exc:
        raise _refusal(value, str(exc)) from None
    if size > limit:
        raise InvalidPayload(
            f"The payload must have at most {limit:,} bytes (got {size:,}).",
            "store the data elsewhere and pass a reference to it",
        )
    is_long = len(text) > _SHORTEST_LONG_INTEGER
    is_plain = (not is_long and _is_flat(value)) or _is_plain(value, is_long)
    # A backslash may itself be escaped, so that \\u0000 is no NUL: the slow check decides.
    if not is_plain or "\\u0000" in text:
        fault = find_fault(value, DEPTH)
        if fault is not None:
            raise InvalidPayload(fault.sentence, path=fault.path)
    return JsonText(text)


def read(text: str) -> Any:
    """The value of JSON text from a person, for `encode`, which then refuses repeated keys and numbers that
    read as 0. Raises ValueError if it is not JSON.
    """
    try:
        return json.loads(text, parse_float=_float, object_pairs_hook=_object)
    except RecursionError:
        return json.loads(_cut(text))


def decode(text: str) -> Any:
    """The value of JSON text that the database returned.

    Without skipping whitespace around it first, which takes as long as parsing a small value; if there is
    any, the text is parsed again.
    """
    try:
        value, end = _read(text)
    except ValueError:
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def _is_flat(value: Any) -> bool:
    """The common case, an object of scalars, checked without a list per level."""
    return (
        type(value) is dict
        and _SCALARS.issuperset(map(type, value.values()))
        and _ONLY_TEXT.issuperset(map(type, value))
    )


def _is_plain(value: Any, has_long_numbers: bool) -> bool:
    """True if the types alone prove that the value is valid.

    Goes down level by level, not member by member, so that the loops run inside map and chain:
    a walk in plain Python took three times as long as writing the JSON itself.
    """
    level = [value]
    for _ in range(DEPTH + 1):
        kinds = set(map(type, level))
        if not kinds <= _KNOWN or (has_long_numbers and int in kinds and _has_long_integer(level)):
            return False
        if kinds <= _SCALARS:
            return True
        objects = [member for member in level if type(member) is dict]
        if not set(map(type, chain.from_iterable(objects))) <= _ONLY_TEXT:
            return False
        arrays = [member for member in level if type(member) in _ARRAYS]
        level = list(chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(arrays)))
    return False


def _has_long_integer(level: list[Any]) -> bool:
    return any(type(member) is int and member.bit_length() > MOST_INTEGER_BITS for member in level)


def _refusal(value: Any, why: str) -> InvalidPayload:
    fault = find_fault(value, DEPTH)
    if fault is None:
        return InvalidPayload(f"The payload cannot be written as JSON: {why}.")
    return InvalidPayload(fault.sentence, path=fault.path)


def _float(text: str) -> float:
    value = float(text)
    is_lost = value == 0 and re.match(r"-?[0.]*[1-9]", text) is not None
    return ReadAsZero(value) if is_lost else value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) == len(members):
        return found
    ((repeated, _),) = Counter(name for name, _ in members).most_common(1)
    return WithRepeatedKey(found, repeated)


def _cut(text: str) -> str:
    """The text up to the level that is too deep, with its brackets closed, so that the parser can read it."""
    open_ones: list[str] = []
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[][{}]', text):
        if token[0] in "[{":
            open_ones.append("]" if token[0] == "[" else "}")
        elif token[0] in "]}" and open_ones:
            open_ones.pop()
        if len(open_ones) > DEPTH:
            return text[: token.end()] + "".join(reversed(open_ones))
    return text
