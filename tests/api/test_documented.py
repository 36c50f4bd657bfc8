"""What the OpenAPI document says of jobs, actions and answers is what the server does."""

from typing import Any

import jsonschema_rs
import pytest
from httpx2 import Request, Response

from holdfast.api.people.actions import ACTION
from holdfast.api.producers.job_body import OPTIONS, job_body
from holdfast.api.request.json_schema import schema_of
from holdfast.client import action_request, job_documents
from holdfast.model.error import InvalidInput
from holdfast.model.report import Part
from holdfast.model.state import State
from tests.api.documented import check_documented

DONE = {"result": "asked", "id": "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11"}
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 50, 101, 2**40, 0.5, "", "x", "30s", "live", "forever", "x" * 201, [], ["1m"], {},
    {"kind": "exponential"}, {"traceparent": "00-1-1-00"}, "2030-01-31T09:00:00Z", "exponential",
)  # fmt: skip


def test_the_options_of_a_job_are_those_that_are_read() -> None:
    assert OPTIONS.keys() == job_documents.OPTIONS


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_each_value_of_an_option_that_is_taken_fits_its_schema(option: str) -> None:
    taken = []
    for value in VALUES:
        document = {"task": "t", "unique_key": "u", option: value}
        try:
            job_documents.read_job(document)
        except InvalidInput:
            continue
        taken.append(value)
        assert jsonschema_rs.is_valid(job_body({}).schema, document), value
    assert len(taken) > 1, "null and another"


def test_the_fields_of_an_action_are_those_that_are_read() -> None:
    settings = action_request.ALL.union(*action_request.OWN.values())
    assert ACTION.schema["properties"].keys() == {"action", "reason", *settings}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"id": DONE["id"]}),
        (200, {**DONE, "more": 1}),
        (200, {**DONE, "result": "perhaps"}),
        (200, {**DONE, "result": None}),
        (200, {**DONE, "id": "17"}),
        (201, DONE),
    ],
)
def test_an_answer_that_is_not_as_documented_is_found(status: int, body: dict[str, Any]) -> None:
    request = Request("POST", "http://api/api/v1/actions/17/cancel")
    check_documented(Response(200, json=DONE, request=request))
    with pytest.raises(AssertionError):
        check_documented(Response(status, json=body, request=request))


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (str | None, [None, ""], [1]),
        (State | None, [None, "dead"], ["no state"]),
        (list[int], [[], [1]], [["1"], None]),
        (dict[str, float | None], [{"a": None}], [{"a": "1"}]),
        (Part[State] | None, [None, {"items": ["dead"], "more": 0, "is_partial": False}],
         [{"items": ["x"], "more": 0, "is_partial": False}, {"items": [], "more": 0}]),
    ],
)  # fmt: skip
def test_a_type_has_the_schema_of_its_values(hint: Any, good: list[Any], bad: list[Any]) -> None:
    schema = dict(schema_of(hint))
    assert [jsonschema_rs.is_valid(schema, value) for value in good] == [True] * len(good)
    assert [jsonschema_rs.is_valid(schema, value) for value in bad] == [False] * len(bad)


def test_a_type_without_a_schema_is_refused() -> None:
    with pytest.raises(TypeError):
        schema_of(set[int])
