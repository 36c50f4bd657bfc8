"""closed -> held open: an operator stops all calls."""

from holdfast.db.connect import Connection
from tests.builders import complete, refusal
from tests.sql.endpoints.scene import a_caller, an_endpoint, blockers, calls, claimed, told_to_wait


async def test_an_operator_opens_and_closes_the_circuit(conn: Connection) -> None:
    await an_endpoint(conn)
    (job,) = await calls(conn, 1)
    worker = await a_caller(conn)
    await conn.execute("select holdfast.open_endpoint('model', 'new model', 'Ada')")
    assert await told_to_wait(conn, worker) is None, "whoever closes it wakes the workers"
    assert await blockers(conn, job) == ["held_open"]
    await conn.execute("update holdfast.endpoints set blocked_until = blocked_until + 1000")
    await conn.execute("select holdfast.close_endpoint('model', 'done', 'Ada')")
    assert [one.id for one in await claimed(conn, worker)] == [job]


async def test_what_runs_goes_on_and_nothing_follows(conn: Connection) -> None:
    await calls(conn, 1)
    worker = await a_caller(conn)
    (running,) = await claimed(conn, worker)
    await conn.execute("select holdfast.open_endpoint('model')")
    await calls(conn, 1)
    assert await complete(conn, running)
    assert await claimed(conn, worker) == []


async def test_who_opened_it_and_why_is_kept(conn: Connection) -> None:
    await an_endpoint(conn)
    await conn.execute("select holdfast.open_endpoint('model', 'password=hunter2', 'Ada')")
    (event,) = await conn.fetch("select cause, actor, reason, detail from holdfast.events")
    assert tuple(event) == ("endpoint_open", "Ada", "password=[redacted]", '{"endpoint": "model"}')


async def test_an_endpoint_that_does_not_exist_cannot_be_opened(conn: Connection) -> None:
    assert (await refusal(conn, "select holdfast.open_endpoint('no-such')")).sqlstate == "HF004"
