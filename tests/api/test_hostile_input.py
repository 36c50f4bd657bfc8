"""Hostile bodies, fields, paths and queries on every route: refused or taken, never a fault or a leak."""

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from httpx2 import Response

from tests.api.every_route import Route, called, check, routes

BODIES: dict[str, bytes] = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe",
    "NUL byte": b'{"task": "a\x00b"}',
    "a list": b"[]",
    "a text": b'"x"',
    "null": b"null",
    "cut": b'{"task": ',
    "NaN": b'{"task": "t", "payload": NaN}',
    "depth of lists": b"[" * 100_000,
    "depth of objects": b'{"a":' * 100_000,
    "digits": b'{"task": "t", "payload": ' + b"9" * 100_000 + b"}",
    "number bomb": b'{"task": "t", "payload": [' + b"1e131071," * 9_000 + b"1]}",
    "repeated key": b'{"task": "t", "task": "u"}',
}
VALUES: dict[str, Any] = {
    "NUL": "a\x00b",
    "lone surrogate": "\ud800",
    "NaN": float("nan"),
    "huge number": 10**400,
    "huge float": 1.7e308,
    "negative": -1,
    "null": None,
    "list": [[]],
    "object": {"a": {"b": [None]}},
    "true": True,
    "long text": "x" * 20_000,
    "depth": json.loads("[" * 900 + "]" * 900),
    "SQL": "'; drop schema holdfast cascade; --",
    "format": "%s {0} $1 \\",
}
WORKERS = re.compile(
    r"/work$|/workers$|\{worker_id\}/(claim|renew|stop)$"
    r"|/(complete|fail|snooze|release|reject|checkpoint|progress|children|wait)$"
)
PATHS = (
    "%00", "%ff", "%ED%A0%80", "..%2f..%2fetc%2fpasswd", "%2e%2e", "..", ".", "%20", "'%3b--", "x" * 3000,
    "%25s", str(uuid4()),
)  # fmt: skip
QUERIES = ("%00", "%ff", "%ED%A0%80", "", "NaN", "-1", "1e400", "9" * 400, "x" * 3000, "'%3b--", "%7b%7d")


def urls(route: Route, place: str) -> Iterator[str]:
    """Hostile names in its path, hostile values for each of its parameters."""
    if route.names:
        yield from (re.sub(r"\{\w+\}", hostile, route.path) for hostile in PATHS)
    for name in route.query:
        yield from (f"{place}?{name}={hostile}" for hostile in QUERIES)
    yield f"{place}?%00=1&%C3%BC=2"
    yield f"{place}?" + "&".join("a=1" for _ in range(1000))


def changed(example: Any) -> Iterator[tuple[str, Any]]:
    """The example with one of its values changed, at every depth."""
    if isinstance(example, dict):
        for field, inner in example.items():
            yield from ((f"{field} = {name}", {**example, field: value}) for name, value in VALUES.items())
            yield from ((f"{field}.{name}", {**example, field: one}) for name, one in changed(inner))
    elif isinstance(example, list):
        yield from ((f"[0].{name}", [one, *example[1:]]) for name, one in changed(example[0]))


@pytest.mark.slow
def test_hostile_bodies_are_no_fault(database_url: str) -> None:
    with called(database_url) as call:
        for route in routes():
            for name, body in BODIES.items() if route.body is not None else ():
                place = call.place(route.path)
                check(call(route.method, place, content=body), route.method, route.path, name)


@pytest.mark.slow
def test_hostile_paths_and_queries_are_no_fault(database_url: str) -> None:
    with called(database_url) as call:
        for route in routes():
            for url in urls(route, call.place(route.path)):
                content = None if route.body is None else json.dumps(call.example(route)).encode()
                check(call(route.method, url, content=content), route.method, url[:200])


@pytest.mark.slow
def test_hostile_values_in_every_field_are_no_fault(database_url: str) -> None:
    with called(database_url) as call:
        for route in routes():
            for name, _ in changed(route.body):
                # Again for each, because the one before may have ended the job.
                place, body = call.place(route.path), dict(changed(call.example(route)))[name]
                answered = call(route.method, place, content=json.dumps(body).encode())
                check(answered, route.method, route.path, name)
                is_nul = name.endswith(" = NUL")
                assert answered.status_code >= 400 or not is_nul, (route.method, route.path, name)


@pytest.mark.slow
def test_the_examples_of_workers_are_taken(database_url: str) -> None:
    """Else hostile bodies would not come as far as what they are meant for."""
    with called(database_url) as call:
        for route in routes():
            if route.path.startswith("/api/v1/") and route.body is not None and WORKERS.search(route.path):
                place, body = call.place(route.path), call.example(route)
                answered = call(route.method, place, json=body)
                assert answered.status_code < 300, (route.path, answered.text)


@pytest.mark.parametrize(
    "answered",
    [
        Response(500, text="{}"),
        Response(200, text="Traceback (most recent call last)"),
        Response(422, text="no problem document"),
        Response(422, text="{}", headers={"Content-Type": "application/problem+json"}),
    ],
)
def test_a_fault_a_leak_and_an_error_without_a_code_are_found(answered: Response) -> None:
    with pytest.raises((AssertionError, KeyError)):
        check(answered)
