"""What is not stored as it is given; test_set_queue.py has what it shares with the other settings."""

from holdfast.db.connect import Connection
from tests.builders import running_job
from tests.sql.test_set_queue import set_settings, trail


async def test_the_start_of_an_endpoint_is_compared_until_its_first_call(conn: Connection) -> None:
    assert await set_settings(conn, "endpoint", {"start": 8}) == {"start": (2, 8)}
    await running_job(conn, endpoint="x")
    assert await set_settings(conn, "endpoint", {"start": 4}) == {}
    assert len(await trail(conn)) == 1


async def test_a_preset_is_recorded_by_the_settings_that_it_changes(conn: Connection) -> None:
    changed = await set_settings(conn, "endpoint", {"preset": "prod"})
    assert "preset" not in changed
    assert changed
    assert await set_settings(conn, "endpoint", {"preset": "prod"}) == {}
