"""Wrong slots for each complaint of the workload of schedules."""

from collections.abc import Awaitable, Callable
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import ready_job


async def slots_at(conn: Connection, *seconds: int) -> None:
    """Jobs of a schedule's slots."""
    for second in seconds:
        slot = f"2030-01-01T00:00:{second:02}Z"
        labels = {"schedule": "chaos-steady", "slot": slot}
        await ready_job(conn, unique_scope="holdfast.schedule", unique_key=slot, labels=labels)


async def a_slot_of_two(conn: Connection) -> None:
    await slots_at(conn, 5, 10)
    await conn.execute("update holdfast.jobs set unique_key = 'one'")


async def a_slot_left_out(conn: Connection) -> None:
    await slots_at(conn, 5, 10, 20, 25)


async def a_schedule_that_never_fired(conn: Connection) -> None:
    await conn.execute("""select holdfast.set_schedule('chaos-steady', '{"task": "t", "every": 5}')""")


OF_SCHEDULES: list[tuple[str, Callable[[Connection], Awaitable[Any]], str]] = [
    ("schedules", a_slot_of_two, "two jobs of the slot one"),
    ("schedules", a_slot_left_out, "the slot after 00:00:10 of chaos-steady has no job"),
    ("schedules", a_schedule_that_never_fired, "chaos-steady has fired no slot"),
]
