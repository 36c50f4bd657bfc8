"""The JSON object that a route takes: read strictly, by the schema that the OpenAPI document shows."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from starlette.requests import Request

from holdfast.client.job_documents import read_document
from holdfast.client.read_id import read_id
from holdfast.model.error import InvalidPayload
from holdfast.model.id import JobId

Schema = Mapping[str, Any]

MOST_IDS = 100
TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
FLAG: Schema = {"type": "boolean"}
VALUE: Schema = {"description": "Any JSON value."}
OBJECT: Schema = {"type": "object"}
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
    """Its fields by name; an absent body is an empty object, so that a route may need none."""

    def __init__(
        self, fields: Mapping[str, Schema], required: Iterable[str] = (), example: Mapping[str, Any] = {}
    ) -> None:
        self._fields, self._required, self._example = fields, tuple(required), dict(example)

    async def read(self, request: Request) -> dict[str, Any]:
        """Raises InvalidPayload with the path of what is wrong."""
        text = await request.body()
        given = read_document(text) if text.strip() else {}
        if unknown := sorted(given.keys() - self._fields.keys()):
            known = f"the fields are {', '.join(self._fields)}"
            raise InvalidPayload(f"There is no field {unknown[0]}.", known, f"$.{unknown[0]}")
        for name in self._required:
            if name not in given:
                raise InvalidPayload(f"The field {name} is missing.", "send it", f"$.{name}")
        for name, value in given.items():
            _check(f"$.{name}", self._fields[name], value)
        return given

    @property
    def openapi(self) -> dict[str, Any]:
        schema = {
            "type": "object",
            "properties": {name: dict(one) for name, one in self._fields.items()},
            "required": list(self._required),
            "additionalProperties": False,
        }
        content = {"application/json": {"schema": schema, "example": self._example}}
        return {"required": bool(self._required), "content": content}


def read_settings(
    wire: Callable[[str, Mapping[str, Any]], dict[str, Any]], name: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The field `settings` in the form of the SQL verbs. `wire` expects the types that its callers in Python
    have; a value of another type ends it with an error of Python.
    """
    try:
        return wire(name, given["settings"])
    except (TypeError, AttributeError, KeyError, ValueError):
        raise InvalidPayload("A setting has a value of the wrong type.", path="$.settings") from None


def read_jobs(given: Mapping[str, Any]) -> list[JobId]:
    """The ids of the field `jobs`, each once."""
    return list(dict.fromkeys(JobId(read_id(one)) for one in given["jobs"]))


def _check(path: str, schema: Schema, value: Any) -> None:
    kinds = schema.get("type", [])
    named = [kinds] if isinstance(kinds, str) else kinds
    if named and not any(_is(kind, value) for kind in named):
        raise InvalidPayload(f"This must be of the type {' or '.join(named)}.", path=path)
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidPayload(f"This must be one of {', '.join(map(str, schema['enum']))}.", path=path)
    if isinstance(value, str | list):
        _check_length(path, schema, value)
    if _is("number", value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        bounds = f"{schema.get('minimum', '…')} to {schema.get('maximum', '…')}"
        raise InvalidPayload(f"This must be a number from {bounds}.", path=path)
    for place, item in enumerate(value if "items" in schema and value is not None else ()):
        _check(f"{path}[{place}]", schema["items"], item)


def _check_length(path: str, schema: Schema, value: str | list[Any]) -> None:
    what, unit = ("Length", "characters") if isinstance(value, str) else ("Items", "items")
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}", len(value))
    if not least <= len(value) <= most:
        raise InvalidPayload(f"This must have {least:,} to {most:,} {unit}.", path=path)


def _is(kind: str, value: Any) -> bool:
    """A truth value is no number, although Python says so."""
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
