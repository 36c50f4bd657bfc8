"""A running job's labels are changed by its owner only, and stay within their bounds."""

import json
from typing import Any
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, claim_one, complete, refusal, release, running_job, the_job

LABEL = "select holdfast.label_job($1, $2, $3)"


async def label(conn: Connection, job: Running, **labels: Any) -> bool:
    return bool(await conn.fetchval(LABEL, job.id, job.token, json.dumps(labels)))


async def labels_of(conn: Connection, job: UUID) -> Any:
    found = (await the_job(conn, job))["labels"]
    return None if found is None else json.loads(found)


async def test_labels_are_added_replaced_and_taken_away(conn: Connection) -> None:
    job = await running_job(conn, labels={"team": "a", "deep": {"x": None}})
    assert await label(conn, job, team="b", no_decision=True)
    assert await labels_of(conn, job.id) == {"team": "b", "no_decision": True, "deep": {"x": None}}
    assert await label(conn, job, no_decision=None, team=None, deep=None)
    assert await labels_of(conn, job.id) is None


async def test_they_stay_with_the_ended_job_and_a_filter_finds_it(conn: Connection) -> None:
    job = await running_job(conn)
    await label(conn, job, no_decision=True)
    await complete(conn, job)
    found = await conn.fetch(
        "select id from holdfast.list_jobs($1)", json.dumps({"labels": {"no_decision": True}})
    )
    assert [row["id"] for row in found] == [job.id]


async def test_a_stale_worker_labels_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    await release(conn, job)
    assert not await label(conn, job, a=1)
    again = await claim_one(conn, job.worker)
    assert not await label(conn, job, a=1)
    assert await label(conn, again, b=2)
    assert await labels_of(conn, job.id) == {"b": 2}


async def test_nothing_given_changes_nothing(conn: Connection) -> None:
    job = await running_job(conn, labels={"a": 1})
    assert await conn.fetchval(LABEL, job.id, job.token, None)
    assert await labels_of(conn, job.id) == {"a": 1}


@pytest.mark.parametrize("given", ["[1]", '"a"', json.dumps({str(n): "x" * 30 for n in range(300)})])
async def test_what_labels_cannot_be_is_refused(conn: Connection, given: str) -> None:
    job = await running_job(conn)
    assert (await refusal(conn, LABEL, job.id, job.token, given)).sqlstate == "HF002"


async def test_many_small_additions_stay_within_the_bound_too(conn: Connection) -> None:
    job = await running_job(conn, labels={str(n): "x" * 30 for n in range(150)})
    more = json.dumps({f"b{n}": "x" * 30 for n in range(150)})
    assert (await refusal(conn, LABEL, job.id, job.token, more)).sqlstate == "HF002"
