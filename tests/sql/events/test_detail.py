"""How much of the audit trail a queue keeps."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    claim_one,
    complete,
    fail,
    ready_job,
    release,
    replay,
    running_job,
)


async def a_life(conn: Connection, queue: str) -> list[tuple[str, str | None]]:
    """Released, failed, completed, replayed and cancelled."""
    job = await running_job(conn, queue=queue, retry=[0])
    await release(conn, job)
    await fail(conn, await claim_one(conn, job.worker))
    await complete(conn, await claim_one(conn, job.worker))
    await replay(conn, job.id)
    await cancel(conn, job.id)
    rows = await conn.fetch("select cause, to_state from holdfast.events where queue = $1 order by id", queue)
    return [(row["cause"], row["to_state"]) for row in rows]


async def test_full_tells_every_transition(conn: Connection) -> None:
    assert await a_life(conn, await a_queue(conn, "q", detail="full")) == [
        ("enqueue", "ready"),
        ("claim", "running"),
        ("release", "ready"),
        ("claim", "running"),
        ("fail", "ready"),
        ("claim", "running"),
        ("end", "completed"),
        ("replay", "ready"),
        ("end", "cancelled"),
        ("cancel", "cancelled"),
    ]


@pytest.mark.parametrize("detail", ["off", "basic"])
async def test_below_full_only_what_people_did_is_told(conn: Connection, detail: str) -> None:
    assert await a_life(conn, await a_queue(conn, "q", detail=detail)) == [
        ("end", "completed"),
        ("replay", "ready"),
        ("cancel", "cancelled"),
    ]


async def test_one_full_queue_does_not_make_others_talk(conn: Connection) -> None:
    await a_queue(conn, "full", detail="full")
    await ready_job(conn, queue="quiet")
    await complete(conn, await claim_one(conn, await a_worker(conn, ["quiet"])))
    assert await conn.fetchval("select count(*) from holdfast.events where queue = 'quiet'") == 0
