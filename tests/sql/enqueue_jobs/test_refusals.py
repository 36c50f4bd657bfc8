"""An enqueue with one bad element is refused as a whole, with a sentence that says what is wrong."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal, to_json

ENQUEUE = "select holdfast.enqueue_jobs($1::text[], $2::json[], $3::jsonb, $4::jsonb[])"

BAD_OPTIONS: list[dict[str, Any]] = [
    {"prioritiy": 5},
    {"priority": 101},
    {"priority": -1},
    {"priority": 1.5},
    {"priority": "high"},
    {"priority": 10**30},
    {"delay": "soon"},
    {"delay": "infinity"},
    {"delay": 1e300},
    {"delay": [1]},
    {"run_at": "tomorrowish"},
    {"run_at": "infinity"},
    {"run_at": "2020-13-45"},
    {"deadline": "-infinity"},
    {"deadline": "2020-01-01 Atlantis/Main"},
    {"deadline": "11111-01-01"},
    {"timeout": 0},
    {"timeout": -5},
    {"timeout": "infinity"},
    {"max_failures": 0},
    {"max_failures": 40000},
    {"retry": "no-such-preset"},
    {"retry": {"delays": [-1]}},
    {"run": "not-an-id"},
    {"queue": ""},
    {"queue": "q" * 201},
    {"group": "g" * 5000},
    {"endpoint": "e" * 5000},
    {"unique_key": ""},
    {"unique_key": "k" * 5000},
    {"unique_key": "k", "unique_for": "a while"},
    {"order_key": "o" * 5000},
    {"labels": [1]},
    {"labels": "text"},
    {"labels": {"a": "x" * 20000}},
    {"labels": {"a": 10**400}},
    {"stagger": {"every": -1, "chunk": 5}},
    {"stagger": {"every": 1, "chunk": 0}},
    {"stagger": {"every": 1, "chunk": "x"}},
    {"stagger": 5},
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=lambda o: to_json(o)[:40])
async def test_a_bad_option_is_refused_with_a_short_sentence(
    conn: Connection, options: dict[str, Any]
) -> None:
    error = await refusal(conn, ENQUEUE, ["t"], ["{}"], to_json(options), None)
    assert error.sqlstate == "HF002", error
    assert error.message.endswith(".")
    assert len(error.message) < 500
    assert error.hint


async def test_a_bad_option_of_one_job_refuses_all(conn: Connection) -> None:
    for options in BAD_OPTIONS:
        if "stagger" not in options:
            error = await refusal(conn, ENQUEUE, ["t"], ["1", "2"], "{}", ["{}", to_json(options)])
            assert error.sqlstate == "HF002", (options, error)
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0


@pytest.mark.parametrize(
    ("tasks", "payloads", "options", "each"),
    [
        (None, ["1"], "{}", None),
        ([], ["1"], "{}", None),
        (["a", "b"], ["1"], "{}", None),
        (["a", "b"], ["1", "2", "3"], "{}", None),
        (["a"], ["1", "2"], "{}", ["{}"]),
        (["a"], ["1"], None, None),
        (["a"], ["1"], "[]", None),
        (["a"], ["1"], "{}", ["[]"]),
        ([""], ["1"], "{}", None),
        ([None], ["1"], "{}", None),
        (["t" * 201], ["1"], "{}", None),
    ],
)
async def test_arguments_that_do_not_fit_together_are_refused(
    conn: Connection, tasks: Any, payloads: Any, options: Any, each: Any
) -> None:
    assert (await refusal(conn, ENQUEUE, tasks, payloads, options, each)).sqlstate == "HF002"


async def test_a_refusal_names_the_job_at_fault(conn: Connection) -> None:
    error = await refusal(conn, ENQUEUE, ["t"], ["1", "2"], "{}", [None, '{"priority": 500}'])
    assert "index 1" in error.message
    assert "500" in error.message
    error = await refusal(conn, ENQUEUE, ["t"], ["1", '{"a": ["\\u0000"]}'], "{}", None)
    assert "index 1" in error.message
    assert error.detail == "$.a[0]"


async def test_a_run_that_does_not_exist_is_not_found(conn: Connection) -> None:
    error = await refusal(conn, ENQUEUE, ["t"], ["1"], to_json({"run": uuid4()}), None)
    assert error.sqlstate == "HF004"
