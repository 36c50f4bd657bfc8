"""Violations of what holds for the slots of schedules."""

from typing import Any

from holdfast.db.connect import Connection
from tests.proof.recorded import Plant


async def fired_slots(conn: Connection, count: int) -> list[Any]:
    """The jobs of the first slots of a schedule, whose time has come."""
    await conn.execute("""select holdfast.set_schedule('hourly', '{"task": "task", "every": 3600}')""")
    await conn.execute(
        "update holdfast.schedules set state = 'active',"
        " next_slot = date_trunc('hour', holdfast.now()) - interval '1 day'"
    )
    fire = (
        "select job from holdfast.schedules as s, holdfast.fire_schedule('hourly', s.next_slot,"
        " s.next_slot + interval '1 hour')"
    )
    return [await conn.fetchval(fire) for _ in range(count)]


async def slot_of_two_jobs(conn: Connection) -> None:
    first, second = await fired_slots(conn, 2)
    await conn.execute("delete from holdfast.unique_keys where job_id = $1", first)
    await conn.execute(
        "update holdfast.jobs set unique_key = (select unique_key from holdfast.jobs where id = $2)"
        " where id = $1",
        first,
        second,
    )


async def slot_of_another_job(conn: Connection) -> None:
    first, _ = await fired_slots(conn, 2)
    await conn.execute("update holdfast.schedules set last_job = $1", first)


OF_SCHEDULES: list[Plant] = [slot_of_two_jobs, slot_of_another_job]
