"""Bodies by their schema: what is wrong is named with its path, at every depth."""

from typing import Any

import pytest

from holdfast.api.request.body import (
    FLAG,
    SPAN,
    TEXT,
    WORDS,
    Body,
    an_object,
    check_value,
    or_null,
    read_span,
)
from holdfast.model.error import InvalidInput, InvalidPayload

PAGE = an_object({"title": WORDS, "size": {"type": "integer", "minimum": 1, "maximum": 9}}, ["title"])
BOOK = Body(
    {"name": TEXT, "open": or_null(FLAG), "kind": {"type": "string", "enum": ["a", "b"]},
     "pages": {"type": "array", "items": PAGE, "maxItems": 2}},
    ["name"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ({}, "$.name", "The field name is missing."),
        ({"name": None}, "$.name", "name must be of the type string."),
        ({"name": ""}, "$.name", "name must have 1 to 200 characters."),
        ({"name": "n", "colour": 1}, "$.colour", "There is no field colour."),
        ({"name": "n", "open": 1}, "$.open", "open must be of the type boolean or null."),
        ({"name": "n", "kind": "c"}, "$.kind", "kind must be one of a, b."),
        ({"name": "n", "pages": [PAGE] * 3}, "$.pages", "pages must have 0 to 2 items."),
        ({"name": "n", "pages": [{}]}, "$.pages[0].title", "The field title is missing."),
        (
            {"name": "n", "pages": [{"title": ""}]},
            "$.pages[0].title",
            "pages[0].title must have at least 1 characters.",
        ),
        (
            {"name": "n", "pages": [{"title": "t", "size": 0}]},
            "$.pages[0].size",
            "pages[0].size must be a number from 1 to 9.",
        ),
        (
            {"name": "n", "pages": [{"title": "t", "colour": 1}]},
            "$.pages[0].colour",
            "There is no field colour.",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_path(given: Any, path: str, message: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        check_value("$", BOOK.schema, given)
    assert (caught.value.path, caught.value.message) == (path, message)


def test_a_field_that_may_be_null_may_be_absent() -> None:
    for given in ({"name": "n"}, {"name": "n", "open": None}, {"name": "n", "open": True}):
        check_value("$", BOOK.schema, given)


def test_a_span_is_seconds_or_a_text_and_has_a_bound() -> None:
    check_value("$", SPAN, "30s")
    assert read_span({"wait": None}, "wait") is None
    assert read_span({"wait": "2m"}, "wait") == read_span({"wait": 120}, "wait")
    with pytest.raises(InvalidInput, match=r"wait must be at most 31,536,000 seconds \(got '366d'\)\."):
        read_span({"wait": "366d"}, "wait")
