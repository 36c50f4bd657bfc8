"""A handler's enqueue carries its token: one that lost its job makes no children."""

from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, refusal, running_job, the_job, to_json

ENQUEUE = "select * from holdfast.enqueue_jobs(array['t'], array['{}'::json], $1::jsonb)"
ENQUEUE_EACH = (
    "select * from holdfast.enqueue_jobs(array['t'], array['{}'::json, '{}'::json], '{}', $1::jsonb[])"
)


async def test_a_child_names_its_parent(conn: Connection) -> None:
    parent = await running_job(conn)
    child = await ready_job(conn, parent=parent.id, parent_token=parent.token)
    assert (await the_job(conn, child))["parent"] == parent.id


async def test_a_stale_token_makes_no_child(conn: Connection) -> None:
    parent = await running_job(conn)
    stale = to_json({"parent": parent.id, "parent_token": uuid4()})
    assert (await refusal(conn, ENQUEUE, stale)).sqlstate == "HF006"
    await complete(conn, parent)
    late = to_json({"parent": parent.id, "parent_token": parent.token})
    assert (await refusal(conn, ENQUEUE, late)).sqlstate == "HF006"
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0


async def test_a_parent_needs_its_token(conn: Connection) -> None:
    """Else whoever knows a job's id could hang children on it."""
    parent = await running_job(conn)
    error = await refusal(conn, ENQUEUE, to_json({"parent": parent.id}))
    assert error.sqlstate == "HF002"
    assert "parent_token" in (error.hint or "")


@pytest.mark.parametrize("state", ["HF002", "HF006"])
async def test_a_parent_that_is_named_for_one_of_several_jobs_needs_its_token_too(
    conn: Connection, state: str
) -> None:
    parent = await running_job(conn)
    options = {"parent": parent.id} | ({"parent_token": uuid4()} if state == "HF006" else {})
    error = await refusal(conn, ENQUEUE_EACH, [to_json({}), to_json(options)])
    assert error.sqlstate == state


async def test_each_of_several_jobs_may_have_a_parent_of_its_own(conn: Connection) -> None:
    one, other = await running_job(conn), await running_job(conn)
    each = [to_json({"parent": parent.id, "parent_token": parent.token}) for parent in (other, one)]
    made = await conn.fetch(ENQUEUE_EACH, each)
    parents = [(await the_job(conn, row["job_id"]))["parent"] for row in made]
    assert parents == [other.id, one.id]


async def test_no_parent_needs_no_token(conn: Connection) -> None:
    (made,) = await conn.fetch(ENQUEUE, to_json({"parent": None}))
    assert (await the_job(conn, made["job_id"]))["parent"] is None
