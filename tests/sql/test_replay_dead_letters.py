"""Bulk replay: by filter, in steps, each letter once, and what a replay leaves on its letter."""

from typing import Any
from uuid import UUID

import asyncpg
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_queue, claim_one, complete, dead_job, fail, letter_of, refusal, state_of, to_json

REPLAY = "select * from holdfast.replay_dead_letters($1, $2, $3, $4, 'the model is back', 'Ada')"


async def replay(
    conn: Connection, filters: dict[str, Any], after: Record | None = None, limit: int = 100
) -> list[Record]:
    place = (None, None) if after is None else (after["died_at"], after["job_id"])
    return await conn.fetch(REPLAY, to_json(filters), *place, limit)


async def letter(conn: Connection, job: UUID) -> Record:
    found = await letter_of(conn, job)
    assert found is not None
    return found


async def test_only_letters_that_fit_are_replayed_oldest_first(conn: Connection) -> None:
    first = await dead_job(conn, queue="a")
    await dead_job(conn, queue="b")
    second = await dead_job(conn, queue="a")
    rows = await replay(conn, {"queue": "a"})
    assert [(row["job_id"], row["result"]) for row in rows] == [
        (first.id, "replayed"),
        (second.id, "replayed"),
    ]
    assert await state_of(conn, first.id) == "ready"
    assert await replay(conn, {"queue": "a"}) == []


async def test_a_call_takes_up_where_the_one_before_stopped(conn: Connection) -> None:
    died = [(await dead_job(conn, queue="a")).id for _ in range(5)]
    first = await replay(conn, {}, limit=2)
    second = await replay(conn, {}, first[-1], limit=2)
    third = await replay(conn, {}, second[-1], limit=2)
    assert [row["job_id"] for row in [*first, *second, *third]] == died


async def test_one_fingerprint_is_replayed_alone(conn: Connection) -> None:
    one = await dead_job(conn, "timeout after 30 s")
    alike = await dead_job(conn, "timeout after 45 s")
    other = await dead_job(conn, "no such file")
    fingerprint = (await letter(conn, one.id))["fingerprint"]
    rows = await replay(conn, {"fingerprint": fingerprint})
    assert {row["job_id"] for row in rows} == {one.id, alike.id}
    assert await state_of(conn, other.id) == "dead"


async def test_letters_that_people_closed_are_left_alone_unless_asked_for(conn: Connection) -> None:
    job = await dead_job(conn)
    await conn.execute("select holdfast.triage_dead_letters($1, 'ignored')", [job.id])
    assert await replay(conn, {}) == []
    rows = await replay(conn, {"status": "ignored"})
    assert [row["job_id"] for row in rows] == [job.id]


async def test_a_replay_that_completes_resolves_its_letter_and_keeps_its_history(conn: Connection) -> None:
    job = await dead_job(conn)
    await replay(conn, {})
    replayed = await letter(conn, job.id)
    assert (replayed["replays"], replayed["replayed_by"], replayed["outcome"]) == (1, "Ada", None)
    assert await complete(conn, await claim_one(conn, job.worker))
    ended = await letter(conn, job.id)
    assert (ended["outcome"], ended["status"], ended["message"]) == ("completed", "resolved", "it broke")
    trail = await conn.fetch(
        "select cause, actor, reason from holdfast.events where job_id = $1 order by id", job.id
    )
    assert ("replay", "Ada", "the model is back") in [tuple(row) for row in trail]


async def test_a_replay_that_dies_again_reopens_its_letter(conn: Connection) -> None:
    job = await dead_job(conn)
    await conn.execute("select holdfast.triage_dead_letters($1, 'investigating', 'Grace')", [job.id])
    await replay(conn, {})
    assert await fail(conn, await claim_one(conn, job.worker), "permanent", message="still broken")
    reopened = await letter(conn, job.id)
    assert (reopened["status"], reopened["replayed_at"], reopened["outcome"]) == ("open", None, "dead")
    assert (reopened["message"], reopened["generation"], reopened["replays"]) == ("still broken", 2, 1)
    assert reopened["assignee"] == "Grace"
    assert await conn.fetchval("select count(*) from holdfast.attempts where job_id = $1", job.id) == 2


async def test_what_dies_again_is_not_replayed_by_the_same_bulk(conn: Connection) -> None:
    job = await dead_job(conn)
    until = await conn.fetchval("select holdfast.now()")
    assert len(await replay(conn, {"until": until})) == 1
    assert await fail(conn, await claim_one(conn, job.worker), "permanent")
    assert await replay(conn, {"until": until}) == []
    assert len(await replay(conn, {})) == 1


async def test_a_letter_whose_unique_key_is_taken_is_passed_over(conn: Connection) -> None:
    blocked = await dead_job(conn, unique_key="k", queue="a")
    await conn.execute("select holdfast.enqueue('task', '{}', 'b', unique_key => 'k')")
    other = await dead_job(conn, queue="a")
    rows = await replay(conn, {}, limit=1)
    assert [(row["job_id"], row["result"]) for row in rows] == [(blocked.id, "conflict")]
    rows = await replay(conn, {}, rows[-1])
    assert [(row["job_id"], row["result"]) for row in rows] == [(other.id, "replayed")]


async def test_a_job_that_somebody_else_replays_right_now_is_left_to_them(
    conn: Connection, database_url: str
) -> None:
    mine, theirs = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    jobs = [(await dead_job(mine)).id for _ in range(3)]
    transaction = theirs.transaction()
    await transaction.start()
    await theirs.execute("select holdfast.replay_jobs($1)", [jobs[1]])
    rows = await replay(mine, {})
    assert [row["job_id"] for row in rows] == [jobs[0], jobs[2]]
    await transaction.commit()
    assert await replay(mine, {}) == []
    assert await mine.fetchval("select count(*) from holdfast.jobs") == 3
    await mine.close()
    await theirs.close()


async def test_a_filter_with_an_unknown_key_is_refused(conn: Connection) -> None:
    error = await refusal(conn, 'select * from holdfast.replay_dead_letters(\'{"qeue": "a"}\')')
    assert error.sqlstate == "HF002"
    assert "qeue" in error.message


async def test_a_long_stretch_without_a_match_is_looked_through_in_steps(conn: Connection) -> None:
    await a_queue(conn, "b")
    await conn.execute(
        """
        insert into holdfast.dead_letters (job_id, generation, queue, task, reason, fingerprint, died_at)
        select gen_random_uuid(), 1, 'b', 'task', 'permanent', 'f', now() - i * interval '1 second'
        from generate_series(1, 10001) as i
        """
    )
    job = await dead_job(conn, queue="a")
    (stop,) = await replay(conn, {"queue": "a"})
    assert stop["result"] == "more"
    rows = await replay(conn, {"queue": "a"}, stop)
    assert [row["job_id"] for row in rows] == [job.id]
