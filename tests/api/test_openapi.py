"""schemathesis calls every route of the OpenAPI document with what it makes up from it.

No answer is a fault of the server, and each has a status, a content type and a shape that are documented.
"""

import json
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

from tests.api.every_route import Call, called, document, routes

Case = schemathesis.Case[Any]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
FEW, MANY = 1, 5


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> Any:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def send(call: Call, case: Case) -> Response:
    sent = requests.Request(**case.as_transport_kwargs(base_url="http://api")).prepare()
    assert sent.method is not None
    assert sent.url is not None
    body = sent.body.encode() if isinstance(sent.body, str) else sent.body
    return call(sent.method, sent.url, headers=dict(sent.headers), content=body)


def call_all(database_url: str, mode: GenerationMode, examples: int) -> set[tuple[str, str]]:
    """The routes that were called. The same examples each time."""
    made_up = schemathesis.openapi.from_dict(document())
    seen = set()
    limits = settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    with called(database_url) as call:
        for found in made_up.get_all_operations():
            assert isinstance(found, Ok)
            operation = found.ok()

            @limits
            @given(case=operation.as_strategy(generation_mode=mode))
            def run(case: Case) -> None:
                case.validate_response(send(call, case), checks=CHECKS)

            with suppress(Unsatisfiable) if mode is GenerationMode.NEGATIVE else nullcontext():
                run()  # a route without parameters and body has nothing that could be wrong
            seen.add((operation.method.upper(), operation.path))
    return seen


@pytest.mark.slow
def test_every_route_answers_as_documented(database_url: str) -> None:
    called = call_all(database_url, GenerationMode.POSITIVE, FEW)
    assert called == {(route.method, route.path) for route in routes()}
    assert {("POST", "/api/queue/complete"), ("POST", "/.netlify/functions/queue-event")} <= called


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_route_answers_many_requests_as_documented(database_url: str, mode: GenerationMode) -> None:
    call_all(database_url, mode, MANY)
