"""The JSON object that a route takes: read strictly, by the schema that the OpenAPI document shows."""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from time import monotonic
from typing import Any

from starlette.requests import Request

from holdfast.client.job_documents import read_document
from holdfast.client.read_id import read_id
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption, InvalidPayload
from holdfast.model.id import JobId

Schema = Mapping[str, Any]

MOST_IDS = 100
MOST_NAMES = 1000
LONGEST_SPAN = timedelta(days=365)
LATE = 1.0  # seconds after the check of the access key
HINT = "send another value; /api/v1/openapi.json describes each field"
TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
FLAG: Schema = {"type": "boolean"}
VALUE: Schema = {"description": "Any JSON value."}
OBJECT: Schema = {"type": "object"}
WORDS: Schema = {"type": "string", "minLength": 1}
MAYBE_WORDS: Schema = {"type": ["string", "null"]}  # empty: as if it were missing
UUID: Schema = {"type": "string", "format": "uuid"}
SPAN: Schema = {"type": ["number", "string"], "description": "Seconds, or a text such as 30s."}
NAMES: Schema = {"type": "array", "items": TEXT, "maxItems": MOST_NAMES}
REASON: Schema = {
    "type": ["string", "null"], "maxLength": 2000, "description": "Recorded in the audit trail.",
}  # fmt: skip
NEEDED_REASON: Schema = {**REASON, "type": "string", "minLength": 1}
IDS: Schema = {
    "type": "array", "items": {"type": "string", "format": "uuid"}, "minItems": 1, "maxItems": MOST_IDS,
}  # fmt: skip
JUST_REASON = {"reason": REASON}
SETTINGS = {"settings": OBJECT, "reason": REASON}
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


class Body:
    """Its fields by name; an absent body is an empty object, so that a route may need none.

    `media_type`: of a body of several such objects, one per line.
    """

    def __init__(
        self,
        fields: Mapping[str, Schema],
        required: Iterable[str] = (),
        example: Mapping[str, Any] = {},
        media_type: str = "application/json",
    ) -> None:
        self.schema, self._example = an_object(fields, required), dict(example)
        self._media_type = media_type

    async def read(self, request: Request) -> dict[str, Any]:
        """Raises InvalidPayload with the path of what is wrong. If the body came late, the access key is
        checked again: it may have been revoked since.
        """
        text = await request.body()
        last = getattr(request.state, "check", None)
        if last is not None and monotonic() - last.at > LATE:
            await last.again()
        given = read_document(text) if text.strip() else {}
        check_value("$", self.schema, given)
        return given

    @property
    def openapi(self) -> dict[str, Any]:
        content = {self._media_type: {"schema": self.schema, "example": self._example}}
        found = {"required": bool(self.schema["required"]), "content": content}
        is_one = self._media_type == "application/json"
        return found if is_one else {**found, "description": "The schema and the example are of one line."}


def an_object(fields: Mapping[str, Schema], required: Iterable[str] = ()) -> dict[str, Any]:
    """The schema of an object that has no other fields."""
    return {
        "type": "object",
        "properties": {name: dict(one) for name, one in fields.items()},
        "required": list(required),
        "additionalProperties": False,
    }


def or_null(schema: Schema) -> Schema:
    """For a field that a client may send as null instead of leaving it out."""
    kinds = schema["type"]
    return {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}


def read_settings(
    wire: Callable[[str, Mapping[str, Any]], dict[str, Any]], name: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The field `settings` in the form of the SQL verbs. `wire` expects the types that its callers in Python
    have; a value of another type ends it with an error of Python.
    """
    try:
        return wire(name, given["settings"])
    except (TypeError, AttributeError, KeyError, ValueError):
        raise InvalidPayload("A setting has a value of the wrong type.", HINT, "$.settings") from None


def read_jobs(given: Mapping[str, Any]) -> list[JobId]:
    """The ids of the field `jobs`, each once."""
    return list(dict.fromkeys(JobId(read_id(one)) for one in given["jobs"]))


def read_span(given: Mapping[str, Any], name: str, most: timedelta = LONGEST_SPAN) -> timedelta | None:
    """None: the field is missing or null."""
    if given.get(name) is None:
        return None
    found = parse_duration(given[name])
    if found > most:
        raise InvalidOption(
            f"{name} must be at most {most.total_seconds():,.0f} seconds (got {given[name]!r})."
        )
    return found


def check_value(path: str, schema: Schema, value: Any) -> None:
    kinds = schema.get("type", [])
    named = [kinds] if isinstance(kinds, str) else kinds
    if named and not any(_is(kind, value) for kind in named):
        raise _wrong(path, f"be of the type {' or '.join(named)}")
    if value is None:
        return
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(path, f"be one of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, str | list):
        _check_length(path, schema, value)
    if _is("number", value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        bounds = f"{schema.get('minimum', '…')} to {schema.get('maximum', '…')}"
        raise _wrong(path, f"be a number from {bounds}")
    if isinstance(value, dict) and "properties" in schema:
        _check_fields(path, schema, value)
    for place, item in enumerate(value if "items" in schema and isinstance(value, list) else ()):
        check_value(f"{path}[{place}]", schema["items"], item)


def _check_fields(path: str, schema: Schema, given: Mapping[str, Any]) -> None:
    fields = schema["properties"]
    unknown = sorted(given.keys() - fields.keys())
    if unknown and schema.get("additionalProperties") is False:
        known = f"the fields are {', '.join(fields)}" if fields else "send an empty object"
        raise InvalidPayload(f"There is no field {unknown[0]}.", known, f"{path}.{unknown[0]}")
    for name in schema.get("required", ()):
        if name not in given:
            raise InvalidPayload(f"The field {name} is missing.", "send it", f"{path}.{name}")
    for name, value in given.items():
        check_value(f"{path}.{name}", fields.get(name, VALUE), value)


def _check_length(path: str, schema: Schema, value: str | list[Any]) -> None:
    what, unit = ("Length", "characters") if isinstance(value, str) else ("Items", "items")
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    if len(value) < least or (most is not None and len(value) > most):
        bounds = f"at least {least:,}" if most is None else f"{least:,} to {most:,}"
        raise _wrong(path, f"have {bounds} {unit}")


def _wrong(path: str, must: str) -> InvalidPayload:
    what = "The body" if path == "$" else path.removeprefix("$.")
    return InvalidPayload(f"{what} must {must}.", HINT, path)


def _is(kind: str, value: Any) -> bool:
    """A truth value is no number, although Python says so."""
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
