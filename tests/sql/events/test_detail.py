"""How much of the audit trail a queue keeps."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancel,
    claim_one,
    complete,
    completed_job,
    fail,
    ready_job,
    release,
    replay,
    running_job,
    settle,
)


async def a_life(conn: Connection, queue: str) -> list[tuple[str, str | None]]:
    """Released, failed, completed, replayed and cancelled."""
    job = await running_job(conn, queue=queue, retry=[0])
    await release(conn, job)
    await fail(conn, await claim_one(conn, job.worker))
    await complete(conn, await claim_one(conn, job.worker))
    await replay(conn, job.id)
    await cancel(conn, job.id)
    rows = await conn.fetch(
        "select cause, to_state from holdfast.events where job_id = $1 order by id", job.id
    )
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


async def test_basic_tells_ends_releases_and_what_people_did(conn: Connection) -> None:
    assert await a_life(conn, await a_queue(conn, "q", detail="basic")) == [
        ("release", "ready"),
        ("end", "completed"),
        ("replay", "ready"),
        ("end", "cancelled"),
        ("cancel", "cancelled"),
    ]


async def test_off_tells_only_what_people_did(conn: Connection) -> None:
    assert await a_life(conn, await a_queue(conn, "q", detail="off")) == [
        ("replay", "ready"),
        ("cancel", "cancelled"),
    ]


@pytest.mark.parametrize(("detail", "ends"), [("off", 0), ("basic", 1), ("full", 1)])
@pytest.mark.parametrize(
    ("verb", "details", "target"),
    [
        ("complete", {}, "completed"),
        ("reject", {"reason": "spam"}, "rejected"),
        ("cancel", {"reason": "asked"}, "cancelled"),
        ("fail", {"class": "permanent", "message": "no"}, "dead"),
    ],
)
async def test_the_view_has_one_end_per_ended_job_unless_the_trail_is_off(
    conn: Connection, verb: str, details: dict[str, object], target: str, detail: str, ends: int
) -> None:
    job = await running_job(conn, queue=await a_queue(conn, "q", detail=detail))
    assert await settle(conn, job, verb, details)
    told = await conn.fetch("select * from holdfast.event_view where job_id = $1 and cause = 'end'", job.id)
    assert [(row["from_state"], row["to_state"], row["attempt"], row["worker"]) for row in told] == [
        ("running", target, 1, job.worker)
    ] * ends


async def test_only_full_pays_a_row_for_a_job_that_completes(conn: Connection) -> None:
    for detail, rows in (("off", 0), ("basic", 0), ("full", 3)):
        job = await completed_job(conn, queue=await a_queue(conn, f"q-{detail}", detail=detail))
        found = await conn.fetchval("select count(*) from holdfast.events where job_id = $1", job.id)
        assert found == rows, detail


async def test_a_raised_detail_tells_no_end_twice(conn: Connection) -> None:
    job = await completed_job(conn, queue=await a_queue(conn, "q", detail="full"))
    await a_queue(conn, "q", detail="basic")
    ends = "select count(*) from holdfast.event_view where job_id = $1 and cause = 'end'"
    assert await conn.fetchval(ends, job.id) == 1


async def test_one_full_queue_does_not_make_others_talk(conn: Connection) -> None:
    await a_queue(conn, "full", detail="full")
    await ready_job(conn, queue="quiet")
    await complete(conn, await claim_one(conn, await a_worker(conn, ["quiet"])))
    assert await conn.fetchval("select count(*) from holdfast.events where queue = 'quiet'") == 0
