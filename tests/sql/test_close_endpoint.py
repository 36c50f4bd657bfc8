"""open | held open -> closed: calls are let through again."""

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.endpoints.scene import a_caller, an_endpoint, calls, claimed, open_circuit, the_endpoint
from tests.sql.notify_ready.hints import hints_of


async def test_a_circuit_that_tripped_is_closed_at_once(conn: Connection) -> None:
    await an_endpoint(conn)
    (job,) = await calls(conn, 1)
    worker = await a_caller(conn)
    await open_circuit(conn, 1000)
    assert await claimed(conn, worker) == []
    await conn.execute("select holdfast.close_endpoint('model', 'mended', 'Ada')")
    assert (await the_endpoint(conn))["circuit"] == "closed"
    assert [one.id for one in await claimed(conn, worker)] == [job]


async def test_idle_workers_of_its_queues_are_woken(database_url: str) -> None:
    quiet = '{"endpoint": "model", "queue": "q", "notify": false}'
    enqueue = f"select holdfast.enqueue_jobs(array['task'], array['{{}}'::json], '{quiet}')"
    assert await hints_of(database_url, enqueue, "select holdfast.close_endpoint('model')") == ["q"]


async def test_an_endpoint_that_does_not_exist_cannot_be_closed(conn: Connection) -> None:
    assert (await refusal(conn, "select holdfast.close_endpoint('no-such')")).sqlstate == "HF004"
