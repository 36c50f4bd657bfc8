"""What is not given stays; test_set_queue.py has what it shares with the other settings."""

from holdfast.db.connect import Connection
from tests.sql.test_set_queue import set_settings, trail


async def test_set_task_keeps_what_is_not_given_and_a_declaration_clears_it(conn: Connection) -> None:
    await conn.execute("""select holdfast.declare_task('x', '{"queue": "q", "max_concurrent": 2}')""")
    assert await set_settings(conn, "task", {"priority": 9}) == {"priority": (None, 9)}
    await conn.execute("""select holdfast.declare_task('x', '{"queue": "q", "max_concurrent": 2}')""")
    *_, last = await trail(conn)
    assert (last[0], last[4]["before"], last[4]["after"]) == (
        "declare_task",
        {"priority": 9},
        {"priority": None},
    )
