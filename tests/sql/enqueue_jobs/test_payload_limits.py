"""A payload that would not come back equal is refused with its JSON path; everything else is stored."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, ready_job, refusal, state_of, the_job

ENQUEUE = "select holdfast.enqueue_jobs(array['t'], array[$1::json])"


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        (r'"\u0000"', "$"),
        (r'{"a": [1, {"b": "x\u0000"}]}', "$.a[1].b"),
        (r'{"\u0000": 1}', "$"),
        (r'["\ud83d"]', "$[0]"),
        (r'["\ude00\ud83d"]', "$[0]"),
        (r'["\ud83d\\\ude00"]', "$[0]"),
        (r'["ok", "\uDEAD"]', "$[1]"),
        ("[1e309]", "$[0]"),
        ("[1, -1E+400]", "$[1]"),
        ("[1e131071]", "$[0]"),
        ("[1e-400]", "$[0]"),
        ("[1e-324]", "$[0]"),
        ('{"a": [0, -2.4703282292062327e-324]}', "$.a[1]"),
        ("[0." + "0" * 330 + "1]", "$[0]"),
        ("[0." + "0" * 250 + "1e-99]", "$[0]"),
        ('{"a": 1, "a": 1}', "$.a"),
        ('{"a": null, "b": [0, {"c": 1, "d": 2, "c": null}]}', "$.b[1].c"),
        ('{"a" : {"b": 1, "b": 2}, "a": {"b": 3}}', "$.a"),
        (r'{"a": 1, "\u0061": 2}', "$.a"),
        (r'{"a": 1, "a": "\u0022:"}', "$.a"),
        (r'{"a": 1e-300, "b": {"c": [], "c": "\u00e9"}}', "$.b.c"),
        ("[1e99999999999999999999]", "$[0]"),
        ("[" + "9" * 249 + "e99]", "$[0]"),
        ("[" + "9" * 350 + ".5]", "$[0]"),
        ("[" + "9" * 401 + "]", "$[0]"),
        ("[" * 65 + "]" * 65, "$" + "[0]" * 63),
        ('{"a":' * 1000 + "1" + "}" * 1000, "$"),
    ],
    ids=lambda value: value[:30],
)
async def test_a_payload_that_would_not_come_back_equal_is_refused(
    conn: Connection, payload: str, path: str
) -> None:
    error = await refusal(conn, ENQUEUE, payload)
    assert error.sqlstate == "HF001"
    assert (error.detail or "").startswith(path)


@pytest.mark.parametrize(
    "payload",
    [
        r'["\ud83d\ude00", "\\u0000", "\\\\ud83d", "\\\u00e9"]',
        "[1.7976931348623157e308, -1e308, 5e-324, 0.1, -0, 1e+5]",
        "[2.4703282292062329e-324, 0.0e-200, 0e-324, 0." + "0" * 300 + "]",
        r'{"a": {"a": "a"}, "A": ["a", {"a": "\u0022a\u0022:"}], "": {"": [{"a": 1}, {"a": 1}]}}',
        r'{"a b": "\"a\": \"a\"", "\\": 1, "\"": 2, "é": "\u00e9"}',
        "[" + "9" * 400 + "]",
        "[" * 64 + "]" * 64,
        '["' + "[" * 500 + '", "' + "{" * 500 + '"]',
        "[" + ",".join('{"a": []}' for _ in range(1000)) + "]",
        "null",
        '"text"',
        "0",
    ],
    ids=lambda value: value[:30],
)
async def test_a_payload_at_the_edge_is_stored_as_it_is(conn: Connection, payload: str) -> None:
    job = await conn.fetchval(
        "select job_id from holdfast.enqueue_jobs(array['t'], array[$1::json])", payload
    )
    assert (await the_job(conn, job))["payload"] == payload


async def test_a_payload_too_deep_for_the_servers_parser_harms_nothing(conn: Connection) -> None:
    """The cast is the caller's own: PostgreSQL refuses it before any function of ours is called."""
    error = await refusal(conn, ENQUEUE, "[" * 100_000 + "]" * 100_000)
    assert error.sqlstate == "54001"
    assert await state_of(conn, await ready_job(conn)) == "ready"


async def test_a_missing_payload_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, ENQUEUE, None)).sqlstate == "HF001"


async def test_a_payload_may_be_as_long_as_the_queue_allows_and_no_longer(conn: Connection) -> None:
    await a_queue(conn, payload_limit=1000)
    job = await ready_job(conn, payload="x" * 998)
    assert len((await the_job(conn, job))["payload"]) == 1000
    error = await refusal(conn, ENQUEUE, '"' + "x" * 999 + '"')
    assert error.sqlstate == "HF001"
    assert "1001 bytes" in error.message
    assert "allows only 1000" in error.message


async def test_bytes_count_not_characters(conn: Connection) -> None:
    await a_queue(conn, payload_limit=1000)
    error = await refusal(conn, ENQUEUE, '"' + "ü" * 600 + '"')
    assert error.sqlstate == "HF001"


async def test_the_default_limit_is_256_kib(conn: Connection) -> None:
    await ready_job(conn, payload="x" * (262144 - 2))
    assert (await refusal(conn, ENQUEUE, '"' + "x" * 262143 + '"')).sqlstate == "HF001"
