"""count_letters_by_status: what the board of dead letters counts, in one look."""

import json
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import dead_job, refusal

COUNT = "select status, letters, is_partial from holdfast.count_letters_by_status($1)"


async def counted(conn: Connection, **filters: Any) -> dict[str, int]:
    rows = await conn.fetch(COUNT, json.dumps(filters))
    assert not any(row["is_partial"] for row in rows)
    return {row["status"]: row["letters"] for row in rows if row["letters"]}


async def test_letters_are_counted_by_status_and_filter(conn: Connection) -> None:
    assert await counted(conn) == {}
    dead = [(await dead_job(conn, queue=queue)).id for queue in ("mail", "mail", "mail", "other")]
    triage = "select holdfast.triage_dead_letters($1, 'resolved', null, 'fixed', 'Ada')"
    await conn.fetch(triage, dead[:1])
    assert await counted(conn) == {"open": 3, "resolved": 1}
    assert await counted(conn, queue="mail") == {"open": 2, "resolved": 1}
    assert await counted(conn, queue="none") == {}
    await conn.fetch("select * from holdfast.replay_jobs($1, 'again', 'Ada')", dead[1:2])
    assert await counted(conn) == {"open": 2, "resolved": 1}


async def test_an_unknown_filter_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, COUNT, '{"colour": "red"}')).sqlstate == "HF002"
