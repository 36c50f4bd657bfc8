"""A handler's enqueue carries its token: one that lost its job makes no children."""

from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, refusal, running_job, the_job, to_json

ENQUEUE = "select holdfast.enqueue_jobs(array['t'], array['{}'::json], $1::jsonb)"


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
