"""Compares an answer with the OpenAPI document: its status, its content type, and every field of it."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema_rs
from httpx2 import Response

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast

Schema = dict[str, Any]
JSON = "application/json"


@cache
def document() -> dict[str, Any]:
    """With the optional routes. Needs no database."""
    nowhere = Holdfast("postgresql://nobody@127.0.0.1:1/none")
    found: dict[str, Any] = api_app(nowhere, message_routes=True).openapi()
    return found


async def check_answer(answered: Response) -> None:
    await answered.aread()
    check_documented(answered)


# Of a client whose answers are all compared.
HOOKS: dict[str, list[Callable[..., Any]]] = {"response": [check_answer]}


def check_documented(answered: Response) -> None:
    """What succeeded, and is JSON. A field that the schema does not have is an error too."""
    request = answered.request
    said = route_of(request.method, request.url.path)
    if answered.status_code >= 300 or said is None:
        return
    where = f"{request.method} {request.url.path}: {answered.status_code}"
    assert str(answered.status_code) in said["responses"], where
    content = said["responses"][str(answered.status_code)]["content"]
    kind = answered.headers["content-type"].partition(";")[0]
    assert kind in content, f"{where} {kind}"
    if kind == JSON:
        wrong = [f"{one.instance_path} {one.message}" for one in differences(content[kind], answered.json())]
        assert not wrong, f"{where} {wrong}"


def route_of(method: str, path: str) -> dict[str, Any] | None:
    """Its entry in the document: that of a path without parameters before others, as the server chooses."""
    fitting = (known for known in _paths() if known[0].fullmatch(path) and method.lower() in known[1])
    return next((known[1][method.lower()] for known in fitting), None)


@cache
def _paths() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    known = sorted(document()["paths"].items(), key=lambda one: one[0].count("{"))
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), methods) for path, methods in known]


def differences(content: Schema, value: Any) -> Iterator[jsonschema_rs.ValidationError]:
    schema = closed(content["schema"])
    return jsonschema_rs.validator_for(schema, validate_formats=True).iter_errors(value)


def closed(schema: Any) -> Any:
    """The same, but objects have no other fields than those it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(one) for name, one in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(schema.get("properties"), dict) else inner
