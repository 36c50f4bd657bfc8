"""A job's trace context: stored from every way in, checked at the door, and kept for its whole life."""

import json
from typing import Any
from uuid import UUID

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_worker,
    claim_one,
    dead_job,
    ready_job,
    ready_jobs,
    refusal,
    release,
    replay,
    running_job,
    settle,
    to_json,
)
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

PRODUCER = f"00-{'a' * 32}-{'1' * 16}-01"
FIRST, SECOND = (f"00-{'a' * 32}-{digit * 16}-01" for digit in "23")
FULL = {"traceparent": PRODUCER, "tracestate": "vendor=x,other=y z"}
BAD = [
    "",
    "no",
    PRODUCER.upper(),
    PRODUCER + "-x",
    PRODUCER + "\n",
    f"ff-{'a' * 32}-{'1' * 16}-01",
    f"00-{'0' * 32}-{'1' * 16}-01",
    f"00-{'a' * 32}-{'0' * 16}-01",
    7,
    [PRODUCER],
    {},
    {"tracestate": "vendor=x"},
    {"traceparent": None},
    {**FULL, "baggage": "x"},
]

# Each stores one job with the trace that it gets as JSON.
WAYS_IN = {
    "enqueue_one": """
      select job_id from holdfast.enqueue_one('t', '1', jsonb_build_object('trace', $1::jsonb))""",
    "enqueue_one with a key": """
      select job_id
      from holdfast.enqueue_one('t', '1', jsonb_build_object('trace', $1::jsonb, 'unique_key', 'k'))""",
    "enqueue_jobs": """
      select job_id
      from holdfast.enqueue_jobs(array['t'], array['1', '2']::json[], jsonb_build_object('trace', $1::jsonb))
      limit 1""",
    "each": """
      select job_id
      from holdfast.enqueue_jobs(array['t'], array['1']::json[],
        each => array[jsonb_build_object('trace', $1::jsonb)])""",
    "enqueue_columns": """
      select job_id
      from holdfast.enqueue_columns(array['t'], array['1']::json[], trace => array[$1::jsonb])""",
}
TRACE = "select trace from holdfast.jobs where id = $1"


def decode(trace: str | None) -> Any:
    return None if trace is None else json.loads(trace)


async def trace_of(conn: Connection, job: UUID) -> Any:
    return decode(await conn.fetchval(TRACE, job))


async def claimed(conn: Connection, worker: UUID) -> Record:
    (row,) = await conn.fetch("select * from holdfast.claim_jobs($1, 1)", worker)
    return row


async def ends(conn: Connection, job: Running, verb: str, **detail: Any) -> None:
    assert await settle(conn, job, verb, detail)


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("given", [PRODUCER, FULL, {"traceparent": PRODUCER, "tracestate": ""}])
async def test_every_way_in_stores_it_in_one_form(conn: Connection, way: str, given: Any) -> None:
    job = await conn.fetchval(WAYS_IN[way], to_json(given))
    assert await trace_of(conn, job) == (FULL if given == FULL else {"traceparent": PRODUCER})


async def test_the_verb_for_psql_takes_a_traceparent(conn: Connection) -> None:
    job = await conn.fetchval("select holdfast.enqueue('t', trace => $1)", PRODUCER)
    assert await trace_of(conn, job) == {"traceparent": PRODUCER}
    error = await refusal(conn, "select holdfast.enqueue('t', trace => 'no')")
    assert error.sqlstate == "HF002"


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("bad", BAD, ids=repr)
async def test_what_no_tracer_can_read_is_refused(conn: Connection, way: str, bad: Any) -> None:
    error = await refusal(conn, WAYS_IN[way], to_json(bad))
    assert (error.sqlstate, "traceparent" in str(error)) == ("HF002", True)


@pytest.mark.parametrize("state", ["x" * 513, "a=ä", "a=\x07"])
async def test_a_tracestate_that_is_too_long_or_unprintable_is_refused(conn: Connection, state: str) -> None:
    given = to_json({"traceparent": PRODUCER, "tracestate": state})
    error = await refusal(conn, WAYS_IN["enqueue_one"], given)
    assert (error.sqlstate, "tracestate" in str(error)) == ("HF002", True)


@pytest.mark.parametrize("way", WAYS_IN)
async def test_null_is_no_trace(conn: Connection, way: str) -> None:
    assert await trace_of(conn, await conn.fetchval(WAYS_IN[way], "null")) is None


async def test_a_job_without_a_trace_has_no_byte_of_it(conn: Connection) -> None:
    """A row with a null has room for 72 columns before its header grows from 32 to 40 bytes."""
    for table in ("jobs", "history"):
        columns = await conn.fetchval(
            "select max(attnum) from pg_attribute where attrelid = ('holdfast.' || $1)::regclass", table
        )
        assert columns <= 72
    jobs = [await ready_job(conn), *await ready_jobs(conn, 2)]
    assert [await trace_of(conn, job) for job in jobs] == [None] * 3


async def test_a_claim_returns_it(conn: Connection) -> None:
    await ready_job(conn, trace=FULL)
    worker = await a_worker(conn)
    assert decode((await claimed(conn, worker))["trace"]) == FULL
    await ready_job(conn)
    assert (await claimed(conn, worker))["trace"] is None


@pytest.mark.parametrize(
    ("verb", "detail"),
    [
        ("fail", {"class": "transient", "type": "E", "message": "m", "retry_after": 0}),
        ("snooze", {"delay": 0}),
        ("release", {"reason": "r"}),
    ],
)
async def test_an_end_names_the_span_of_its_attempt(conn: Connection, verb: str, detail: Any) -> None:
    job = await running_job(conn, trace=FULL)
    await ends(conn, job, verb, **detail, trace=FIRST)
    assert await trace_of(conn, job.id) == {**FULL, "attempt": FIRST}


async def test_a_job_without_a_trace_joins_that_of_its_first_attempt(conn: Connection) -> None:
    job = await running_job(conn)
    await ends(conn, job, "release", trace=FIRST)
    again = await claim_one(conn, job.worker)
    await ends(conn, again, "release", trace=SECOND)
    assert await trace_of(conn, job.id) == {"traceparent": FIRST, "attempt": SECOND}


@pytest.mark.parametrize("odd", ["no", 7, None, {"traceparent": FIRST}])
async def test_an_odd_span_does_not_prevent_an_end(conn: Connection, odd: Any) -> None:
    job = await running_job(conn, trace=PRODUCER)
    await ends(conn, job, "release", trace=odd)
    assert await trace_of(conn, job.id) == {"traceparent": PRODUCER}


async def test_an_end_with_an_outdated_token_changes_nothing(conn: Connection) -> None:
    stale = await running_job(conn, trace=PRODUCER)
    await release(conn, stale)
    await claim_one(conn, stale.worker)
    assert not await settle(conn, stale, "release", {"trace": FIRST})
    assert await trace_of(conn, stale.id) == {"traceparent": PRODUCER}


async def test_the_end_and_a_replay_keep_it(conn: Connection) -> None:
    job = await running_job(conn, trace=FULL)
    await ends(conn, job, "fail", **{"class": "permanent", "type": "E", "message": "m"}, trace=FIRST)
    past = await conn.fetchval("select trace from holdfast.history where id = $1", job.id)
    assert decode(past) == {**FULL, "attempt": FIRST}
    assert await replay(conn, job.id) == "replayed"
    assert await trace_of(conn, job.id) == {**FULL, "attempt": FIRST}


async def test_a_replacement_joins_the_trace(conn: Connection) -> None:
    job = await dead_job(conn, trace=FULL)
    new = await conn.fetchval("select holdfast.replace_job($1, '2', 'typo', 'Grace')", job.id)
    assert await trace_of(conn, new) == FULL


async def test_a_child_belongs_to_its_parents_trace_unless_it_names_one(conn: Connection) -> None:
    parent = await running_job(conn, trace=FULL)
    child = "select job_id from holdfast.enqueue_one('t', '1', $1::jsonb)"
    bond = {"parent": parent.id, "parent_token": parent.token}
    inherited = await conn.fetchval(child, to_json(bond))
    assert await trace_of(conn, inherited) == FULL
    own = await conn.fetchval(child, to_json({**bond, "trace": SECOND}))
    assert await trace_of(conn, own) == {"traceparent": SECOND}


async def test_stages_keep_it_and_branches_belong_to_the_attempt_that_made_them(conn: Connection) -> None:
    await a_pipeline(conn)
    await entered_job(conn, trace=FULL)
    worker = await a_stage_worker(conn)
    first = await claim_one(conn, worker)
    await ends(conn, first, "advance", stage="b", trace=FIRST)
    assert await trace_of(conn, first.id) == {**FULL, "attempt": FIRST}
    second = await claim_one(conn, worker)
    await ends(conn, second, "advance", stages=["b", "c"], trace=SECOND)
    branches = await conn.fetch("select trace from holdfast.jobs where parent_id = $1", first.id)
    assert [decode(row["trace"]) for row in branches] == [{**FULL, "traceparent": SECOND}] * 2


async def test_a_stage_that_ends_in_a_transaction_names_its_span(conn: Connection) -> None:
    await a_pipeline(conn)
    await entered_job(conn, trace=FULL)
    job = await claim_one(conn, await a_stage_worker(conn))
    await conn.execute(
        "select holdfast.complete_in_transaction($1, $2, '1', trace => $3)", job.id, job.token, FIRST
    )
    assert await trace_of(conn, job.id) == {**FULL, "attempt": FIRST}
