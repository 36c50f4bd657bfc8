"""The story of one job, in order of time."""

from uuid import uuid4

import pytest

from holdfast.db import dead, operator, stats
from holdfast.db.connect import Connection
from holdfast.model.dead_letter import Triage
from holdfast.model.id import JobId
from tests.builders import a_queue, claim_one, complete, fail, replay, running_job, settle


async def story(conn: Connection, job: JobId) -> list[str]:
    return [entry.what for entry in await stats.timeline(conn, job)]


async def test_a_life_with_failures_triage_and_replay_is_told_in_order(conn: Connection) -> None:
    job = await running_job(conn, retry={"delays": [0]})
    await fail(conn, job, message="first")
    await fail(conn, await claim_one(conn, job.worker), message="second")
    await dead.triage_letters(conn, [JobId(job.id)], Triage.INVESTIGATING, None, "odd", "Ada")
    await dead.note_letters(conn, [JobId(job.id)], "the vendor was down", "Ada")
    await replay(conn, job.id)
    assert await complete(conn, await claim_one(conn, job.worker))
    entries = await stats.timeline(conn, JobId(job.id))
    assert [entry.what for entry in entries] == [
        "created",
        "failed",
        "failed",
        "end",
        "triage",
        "note",
        "replay",
        "completed",
    ]
    assert [entry.words for entry in entries[1:3]] == ["ValueError: first", "ValueError: second"]
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert entries[5].actor == "Ada"


async def test_stages_checkpoints_and_a_running_attempt_are_told(conn: Connection) -> None:
    job = await running_job(conn)
    await settle(conn, job, "advance", {"stage": "second"}, {"n": 1})
    again = await claim_one(conn, job.worker)
    await conn.execute("select holdfast.save_checkpoint($1, $2, 'half', '1')", again.id, again.token)
    entries = await stats.timeline(conn, JobId(job.id))
    assert [entry.what for entry in entries] == ["created", "stage", "running", "checkpoint"]
    assert entries[1].detail["output"] == '{"n": 1}'
    assert entries[3].words == "half"


@pytest.mark.parametrize("detail", ["basic", "full"])
async def test_releases_and_yields_are_told_with_their_reasons(conn: Connection, detail: str) -> None:
    await a_queue(conn, detail=detail)
    job = await running_job(conn)
    await settle(conn, job, "release", {"reason": "the worker leaves"})
    again = await claim_one(conn, job.worker)
    await settle(conn, again, "release", {"reason": "half of it is done", "yielded": True})
    told = [one for one in await stats.timeline(conn, JobId(job.id)) if one.what in ("release", "yield")]
    assert [(one.what, one.attempt, one.words) for one in told] == [
        ("release", 1, "the worker leaves"),
        ("yield", 2, "half of it is done"),
    ]
    assert await conn.fetch("select * from holdfast.invariants") == []


async def test_an_audit_trail_that_is_off_tells_of_no_release(conn: Connection) -> None:
    await a_queue(conn, detail="off")
    job = await running_job(conn)
    await settle(conn, job, "release", {"reason": "the worker leaves"})
    assert await story(conn, JobId(job.id)) == ["created"]


async def test_an_end_is_told_once_also_where_the_trail_is_full(conn: Connection) -> None:
    await a_queue(conn, detail="full")
    job = await running_job(conn)
    await complete(conn, job)
    assert await story(conn, JobId(job.id)) == ["created", "enqueue", "claim", "completed"]


async def test_operator_actions_are_told_with_who_and_why(conn: Connection) -> None:
    job = JobId((await running_job(conn)).id)
    await operator.reclaim(conn, [job], "it hangs", "Ada")
    entries = await stats.timeline(conn, job)
    assert [(entry.what, entry.actor, entry.words) for entry in entries[1:]] == [
        ("reclaim", "Ada", "it hangs")
    ]


async def test_the_latest_of_a_long_story_is_kept(conn: Connection) -> None:
    job = await running_job(conn, attempt=1)
    for priority in range(10):
        await operator.set_priority(conn, [JobId(job.id)], priority, f"step {priority}", "Ada")
    told = await stats.timeline(conn, JobId(job.id), limit=3)
    assert [entry.words for entry in told] == ["step 7", "step 8", "step 9"]


async def test_nothing_is_told_of_an_unknown_job(conn: Connection) -> None:
    assert await stats.timeline(conn, JobId(uuid4())) == []


@pytest.mark.parametrize("detail", ["basic", "full"])
async def test_a_wait_is_told_once_with_what_it_is_for(conn: Connection, detail: str) -> None:
    await a_queue(conn, detail=detail)
    job = await running_job(conn)
    await settle(conn, job, "wait", {"for": "signal:approval", "timeout": 60})
    told = [one for one in await stats.timeline(conn, JobId(job.id)) if one.what == "wait"]
    assert [one.words for one in told] == ["signal:approval"]


async def test_calls_stages_and_attempts_are_told_with_what_a_chart_needs(conn: Connection) -> None:
    job = await running_job(conn, retry={"delays": [0]})
    call = '{"kind": "tool", "name": "search", "seconds": 2, "error": "no hits"}'
    await conn.execute("select holdfast.save_call($1, $2, $3)", job.id, job.token, call)
    await fail(conn, job)
    await settle(conn, await claim_one(conn, job.worker), "advance", {"stage": "second"})
    told = {one.what: one.detail for one in await stats.timeline(conn, JobId(job.id))}
    assert (told["tool call"]["name"], told["tool call"]["error"]) == ("search", "no hits")
    assert (told["failed"]["visit"], told["failed"]["counted"]) == (1, True)
    assert told["stage"]["ready_at"] <= told["stage"]["started_at"]
