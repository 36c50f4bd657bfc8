"""schemathesis calls every route of the OpenAPI document with what it makes up from it.

No answer is a fault of the server, and each has a status, a content type and a shape that are documented.
"""

import json
from collections import Counter
from contextlib import nullcontext, suppress
from typing import Any

import pytest
import requests
import schemathesis
from httpx2 import Response
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.documented import document
from tests.api.every_route import Called, called, routes

Case = schemathesis.Case[Any]
Operation = schemathesis.APIOperation[Any, Any, Any, Any]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
FEW, MANY = 1, 10


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> Any:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def send(call: Called, case: Case) -> Response:
    sent = requests.Request(**case.as_transport_kwargs(base_url="http://api")).prepare()
    assert sent.method is not None
    assert sent.url is not None
    # Without the access key that it made up, which would stand in place of the caller's: all would be 401.
    headers = {name: value for name, value in sent.headers.items() if name.lower() != "authorization"}
    body = sent.body.encode() if isinstance(sent.body, str) else sent.body
    answered = call(sent.method, sent.url, headers=headers, content=body)
    assert answered.status_code != 401
    return answered


def name_what_exists(call: Called, case: Case) -> None:
    """A made-up path leads nowhere, and a made-up token is outdated."""
    case.path_parameters = call.names(case.operation.path) if case.path_parameters else {}
    if isinstance(case.body, dict) and "token" in case.body:
        case.body["token"] = call.token


def call_all(database_url: str, mode: GenerationMode, examples: int) -> Counter[tuple[str, str]]:
    """The routes that were called, with how often each succeeded. The same examples each time."""
    succeeded: Counter[tuple[str, str]] = Counter()
    limits = settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    with called(database_url) as call:
        for operation in operations():
            succeeded[route_of(operation)] += 0

            @limits
            @given(case=operation.as_strategy(generation_mode=mode))
            def run(case: Case) -> None:
                if mode is GenerationMode.POSITIVE:
                    name_what_exists(call, case)
                answered = send(call, case)
                case.validate_response(answered, checks=CHECKS)
                succeeded[route_of(case.operation)] += answered.status_code < 300

            with suppress(Unsatisfiable) if mode is GenerationMode.NEGATIVE else nullcontext():
                run()  # a route without parameters and body has nothing that could be wrong
    return succeeded


def route_of(operation: Operation) -> tuple[str, str]:
    return operation.method.upper(), operation.path


def operations() -> list[Operation]:
    """Those that remove something are last: the others need it."""
    found = []
    for one in schemathesis.openapi.from_dict(document()).get_all_operations():
        assert isinstance(one, Ok)
        found.append(one.ok())
    return sorted(found, key=lambda one: one.method.lower() == "delete")


@pytest.mark.slow
def test_every_route_answers_as_documented(database_url: str) -> None:
    called = call_all(database_url, GenerationMode.POSITIVE, FEW)
    assert called.keys() == {(route.method, route.path) for route in routes()}
    assert {("POST", "/api/queue/complete"), ("POST", "/.netlify/functions/queue-event")} <= called.keys()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_route_answers_many_requests_as_documented(database_url: str, mode: GenerationMode) -> None:
    found = call_all(database_url, mode, MANY)
    if mode is GenerationMode.POSITIVE:
        assert sum(map(bool, found.values())) > 0.8 * len(found), "schemas are compared with successes only"
