"""Which queues have ready jobs that call an endpoint."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_jobs

BACKLOG = "select * from holdfast.endpoint_backlog($1)"


async def test_ready_jobs_are_counted_by_endpoint_and_queue(conn: Connection) -> None:
    for name in ("llama", "qwen"):
        await conn.execute("select holdfast.declare_endpoint($1, $2)", name, '{"max": 1, "mode": "fixed"}')
    await a_queue(conn, "chat", endpoint="llama")
    await ready_jobs(conn, 3, queue="chat")
    await ready_jobs(conn, 4, queue="chat", endpoint="qwen")
    await ready_jobs(conn, 5, queue="mail")
    await ready_jobs(conn, 2, queue="mail", endpoint="llama")
    await conn.execute("select holdfast.pause_queue('mail', 'maintenance', 'ada')")
    await claim(conn, await a_worker(conn, ["chat"]), 10)
    found = [tuple(row) for row in await conn.fetch(BACKLOG, ["llama", "qwen", "none"])]
    assert found == [
        ("llama", "chat", 2, False, False),
        ("llama", "mail", 2, False, True),
        ("qwen", "chat", 3, False, False),
    ]


async def test_a_long_backlog_is_counted_to_ten_thousand(conn: Connection) -> None:
    await conn.execute("select holdfast.declare_endpoint('llama', '{}')")
    await ready_jobs(conn, 10_001, queue="chat", endpoint="llama")
    (row,) = await conn.fetch(BACKLOG, ["llama"])
    assert (row["ready"], row["is_more"]) == (10_000, True)
