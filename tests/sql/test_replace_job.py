"""A dead job whose payload was wrong: another job in its place, linked, and neither done twice."""

import json

import asyncpg
import pytest

from holdfast.db import dead
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.payload import encode
from tests.builders import (
    a_worker,
    complete,
    completed_job,
    dead_job,
    letter_of,
    ready_job,
    refusal,
    replay,
    running_job,
    state_of,
    the_job,
)


async def test_the_new_job_is_like_the_old_but_for_its_payload(conn: Connection) -> None:
    old = await dead_job(
        conn, queue="a", task="x", priority=70, labels={"of": None}, retry={"delays": [1]}, payload={"n": 1}
    )
    new = await dead.replace_job(conn, JobId(old.id), encode({"n": 2}), "a typo", "Ada")
    job = await the_job(conn, new)
    assert (job["queue"], job["task"], job["priority"], job["state"]) == ("a", "x", 70, "ready")
    assert json.loads(job["payload"]) == {"n": 2}
    assert json.loads(job["labels"]) == {"of": None}
    assert json.loads((await the_job(conn, old.id))["payload"]) == {"n": 1}


async def test_the_new_job_goes_to_the_same_lane_under_the_same_policy(conn: Connection) -> None:
    worker = await a_worker(conn, group="g")
    old = await dead_job(conn, worker=worker, group="g", endpoint="e", max_failures=9, timeout=60)
    new = await the_job(conn, await dead.replace_job(conn, JobId(old.id), encode({}), None, "Ada"))
    was = await the_job(conn, old.id)
    for column in ("group", "endpoint", "max_failures", "timeout"):
        assert new[column] == was[column], column
    assert new["group"] == "g"


async def test_a_payload_that_would_not_come_back_equal_is_refused(conn: Connection) -> None:
    job = await dead_job(conn)
    error = await refusal(conn, "select holdfast.replace_job($1, $2)", job.id, '"\\u0000"')
    assert error.sqlstate == "HF001"
    assert await state_of(conn, job.id) == "dead"


async def test_the_two_are_linked_and_the_letter_is_resolved(conn: Connection) -> None:
    old = await dead_job(conn)
    new = await dead.replace_job(conn, JobId(old.id), encode({}), "a typo", "Ada")
    letter = await dead.get_letter(conn, JobId(old.id))
    assert letter is not None
    assert (letter.replaced_by, letter.status) == (new, "resolved")
    rows = await conn.fetch("select job_id, detail from holdfast.events where cause = 'replace' order by id")
    assert [(row["job_id"], json.loads(row["detail"])) for row in rows] == [
        (old.id, {"replaced_by": str(new)}),
        (new, {"replaces": str(old.id)}),
    ]


async def test_a_replaced_job_is_neither_replaced_nor_replayed_again(conn: Connection) -> None:
    old = await dead_job(conn)
    await dead.replace_job(conn, JobId(old.id), encode({}), None, "Ada")
    error = await refusal(conn, "select holdfast.replace_job($1, '{}')", old.id)
    assert error.sqlstate == "HF005"
    assert await replay(conn, old.id) == "replaced"
    assert await state_of(conn, old.id) == "dead"


@pytest.mark.parametrize("kind", ["ready", "completed", "unknown"])
async def test_only_a_dead_job_is_replaced(conn: Connection, kind: str) -> None:
    if kind == "ready":
        job = await ready_job(conn)
    elif kind == "completed":
        job = (await completed_job(conn)).id
    else:
        job = await conn.fetchval("select gen_random_uuid()")
    error = await refusal(conn, "select holdfast.replace_job($1, '{}')", job)
    assert error.sqlstate == ("HF004" if kind == "unknown" else "HF005")


async def test_a_job_is_replayed_or_replaced_by_two_people_at_once_but_not_both(database_url: str) -> None:
    one, two = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await dead_job(one)
    transaction = one.transaction()
    await transaction.start()
    await dead.replace_job(one, JobId(job.id), encode({}), None, "Ada")
    await two.execute("set lock_timeout = '200ms'")
    with pytest.raises(asyncpg.LockNotAvailableError):
        await replay(two, job.id)
    await transaction.commit()
    assert await replay(two, job.id) == "replaced"
    assert await letter_of(two, job.id) is not None
    assert await two.fetchval("select count(*) from holdfast.jobs") == 1
    await one.close()
    await two.close()


async def test_what_takes_the_place_of_a_child_has_the_same_parent(conn: Connection) -> None:
    parent = await running_job(conn, queue="parents")
    child = await dead_job(conn, parent=parent.id, parent_token=parent.token)
    await complete(conn, parent)
    new = await conn.fetchval("select holdfast.replace_job($1, '{}')", child.id)
    assert (await the_job(conn, new))["parent"] == parent.id
