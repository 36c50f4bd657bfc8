"""Each queue says which logs of its handlers are kept."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal

SETTINGS = "select queue, logs from holdfast.log_settings($1)"


async def test_a_queue_keeps_the_logs_of_failures_unless_it_is_set(conn: Connection) -> None:
    await a_queue(conn, "plain")
    await a_queue(conn, "chatty", logs="all")
    await a_queue(conn, "silent", logs="off")
    await a_queue(conn, "other", logs="off")
    rows = await conn.fetch(SETTINGS, ["chatty", "plain", "silent", "unknown"])
    assert {row["queue"]: row["logs"] for row in rows} == {
        "plain": "errors",
        "chatty": "all",
        "silent": "off",
    }
    assert await conn.fetchval("select logs from holdfast.queue_view where name = 'chatty'") == "all"


async def test_another_word_is_refused(conn: Connection) -> None:
    error = await refusal(conn, "select holdfast.declare_queue('q', '{\"logs\": \"some\"}')")
    assert error.sqlstate == "HF002"
    assert "off, errors or all" in str(vars(error)["hint"])
