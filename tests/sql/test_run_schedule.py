"""run_schedule makes a job beside the slots."""

import json

from holdfast.db.connect import Connection
from tests.builders import the_job
from tests.sql.schedules import an_active_schedule, the_schedule
from tests.sql.test_set_queue import trail


async def test_a_run_by_hand_is_a_manual_job_without_a_slot(conn: Connection) -> None:
    slot = await an_active_schedule(conn, payload={"a": 1}, options={"labels": {"team": "x"}})
    await conn.execute("select holdfast.pause_schedule('hourly')")
    job = await conn.fetchval("select holdfast.run_schedule('hourly', 'missing figures', 'Ada')")
    made = await the_job(conn, job)
    assert (made["task"], made["origin"], made["claimed_actor"]) == ("report", "manual", "Ada")
    assert json.loads(made["payload"]) == {"a": 1}
    assert json.loads(made["labels"]) == {"team": "x", "schedule": "hourly"}
    kept = await the_schedule(conn)
    assert (kept["next_slot"], kept["last_job"]) == (slot, None)
    assert (await trail(conn))[-1][:3] == ("run_schedule", "Ada", "missing figures")
