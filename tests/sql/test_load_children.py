"""The children of a run in the order in which they were made, with their outputs."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, complete, running_job, settle


async def test_all_in_order_with_state_output_and_reason(conn: Connection) -> None:
    job = await running_job(conn, queue="parents")
    run = await conn.fetchval(
        "select run from holdfast.spawn_children($1, $2, 'k', array['kid'], $3::json[], $4)",
        job.id,
        job.token,
        ["{}"] * 3,
        '{"queue": "kids"}',
    )
    first, second = await claim(conn, await a_worker(conn, ["kids"]), 2)
    await complete(conn, second, {"n": 2})
    await settle(conn, first, "reject", {"reason": "no"})
    rows = await conn.fetch("select state, output::text, reason from holdfast.load_children($1)", run)
    assert [tuple(row) for row in rows] == [
        ("rejected", None, "no"),
        ("completed", '{"n": 2}', None),
        ("ready", None, None),
    ]
