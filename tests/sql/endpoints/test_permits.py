"""However a running job ends or leaves its worker, its permit comes back, once."""

from collections.abc import Awaitable, Callable

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock
from tests.builders import (
    Running,
    a_queue,
    cancel,
    expire_worker,
    fail,
    replay,
    rescue,
    settle,
    state_of,
)
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    an_endpoint,
    assert_balanced,
    calls,
    claimed,
    open_circuit,
    the_endpoint,
)

Way = Callable[[Connection, Running, FakeClock], Awaitable[object]]

ENDS: dict[str, tuple[str, dict[str, object] | None]] = {
    "complete": ("complete", {"units": 3}),
    "fail transient": ("fail", {"class": "transient"}),
    "fail rate limited": ("fail", {"class": "rate_limited", "retry_after": 1}),
    "fail permanent": ("fail", {"class": "permanent"}),
    "fail system": ("fail", {"class": "system"}),
    "fail timed out": ("fail", {"class": "transient", "outcome": "timed_out"}),
    "snooze": ("snooze", {"delay": 5}),
    "release": ("release", None),
    "reject": ("reject", {"reason": "no"}),
    "advance": ("advance", {"stage": "two", "endpoint": "model"}),
    "advance elsewhere": ("advance", {"stage": "two", "queue": "other", "endpoint": "another"}),
    "advance nowhere": ("advance", {"queue": ""}),
    "cancel": ("cancel", {"reason": "asked"}),
}


def ends(name: str) -> Way:
    return lambda conn, job, _: settle(conn, job, *ENDS[name])


def ends_although_asked_to_cancel(name: str) -> Way:
    async def way(conn: Connection, job: Running, _: FakeClock) -> None:
        assert await cancel(conn, job.id) == "asked"
        await settle(conn, job, *ENDS[name])

    return way


async def is_fenced(conn: Connection, job: Running, clock: FakeClock) -> None:
    assert await cancel(conn, job.id) == "asked"
    await clock.advance("31s")
    assert (await rescue(conn))["cancelled"] == 1


async def is_rescued(conn: Connection, job: Running, _: FakeClock) -> None:
    await expire_worker(conn, job.worker)
    assert (await rescue(conn))["recovered"] == 1


async def is_rescued_once_too_often(conn: Connection, job: Running, _: FakeClock) -> None:
    await a_queue(conn, max_losses=1)
    await expire_worker(conn, job.worker)
    assert (await rescue(conn))["dead"] == 1


async def is_rescued_after_a_cancel(conn: Connection, job: Running, _: FakeClock) -> None:
    assert await cancel(conn, job.id) == "asked"
    await expire_worker(conn, job.worker)
    await rescue(conn)
    assert await state_of(conn, job.id) == "cancelled"


async def is_overdue(conn: Connection, job: Running, clock: FakeClock) -> None:
    await conn.execute("update holdfast.jobs set stop_at = started_at + interval '1 s' where id = $1", job.id)
    await clock.advance("7s")
    assert (await rescue(conn))["timed_out"] == 1


def as_operator(call: str, result: str) -> Way:
    async def way(conn: Connection, job: Running, _: FakeClock) -> None:
        assert await conn.fetchval(f"select result from holdfast.{call}", [job.id]) == result

    return way


async def its_worker_leaves(conn: Connection, job: Running, _: FakeClock) -> None:
    assert await conn.fetchval("select holdfast.stop_worker($1)", job.worker) == 1


async def completes_in_a_transaction(conn: Connection, job: Running, _: FakeClock) -> None:
    await conn.execute("select holdfast.complete_in_transaction($1, $2, '1')", job.id, job.token)


async def dies_is_replayed_and_completes(conn: Connection, job: Running, _: FakeClock) -> None:
    await fail(conn, job, "permanent")
    assert await replay(conn, job.id) == "replayed"
    await assert_balanced(conn)
    (again,) = await claimed(conn, job.worker)
    await assert_balanced(conn)
    assert await settle(conn, again, "complete")


WAYS: dict[str, Way] = {
    **{name: ends(name) for name in ENDS},
    **{f"{name}, asked to cancel": ends_although_asked_to_cancel(name) for name in ENDS},
    "fenced": is_fenced,
    "rescued": is_rescued,
    "rescued once too often": is_rescued_once_too_often,
    "rescued after a cancel": is_rescued_after_a_cancel,
    "overdue": is_overdue,
    "taken back": as_operator("reclaim_jobs($1, 'because', 'Ada')", "reclaimed"),
    "completed by an operator": as_operator("complete_as_operator($1, '1', 'because', 'Ada')", "completed"),
    "failed by hand": as_operator("fail_as_operator($1, 'because', 'Ada')", "dead"),
    "worker left": its_worker_leaves,
    "in a transaction": completes_in_a_transaction,
    "replayed": dies_is_replayed_and_completes,
}


@pytest.mark.parametrize("way", WAYS)
async def test_the_permit_comes_back_once(conn: Connection, clock: FakeClock, way: str) -> None:
    await a_fixed_endpoint(conn, 2, estimate=10)
    stays, goes = await a_caller(conn), await a_caller(conn)
    await calls(conn, 1)
    assert len(await claimed(conn, stays)) == 1
    await calls(conn, 1)
    (job,) = await claimed(conn, goes)
    assert (await the_endpoint(conn))["in_flight"] == 2
    await WAYS[way](conn, job, clock)
    assert (await the_endpoint(conn))["in_flight"] == 1
    await assert_balanced(conn)


@pytest.mark.parametrize("way", WAYS)
async def test_a_probe_gives_its_place_back(conn: Connection, clock: FakeClock, way: str) -> None:
    await an_endpoint(conn, estimate=10)
    await calls(conn, 1)
    await open_circuit(conn, 0)
    (probe,) = await claimed(conn, await a_caller(conn))
    assert (await the_endpoint(conn))["probes"] == 1
    await WAYS[way](conn, probe, clock)
    left = await the_endpoint(conn)
    assert (left["probes"], left["in_flight"]) == (0, 0)
    await assert_balanced(conn)


async def test_a_stale_end_takes_no_permit_back(conn: Connection, clock: FakeClock) -> None:
    await a_fixed_endpoint(conn, 2)
    await calls(conn, 1)
    (job,) = await claimed(conn, await a_caller(conn))
    await is_rescued(conn, job, clock)
    (again,) = await claimed(conn, await a_caller(conn))
    for verb, detail in ENDS.values():
        assert not await settle(conn, job, verb, detail)
    assert (await the_endpoint(conn))["in_flight"] == 1
    assert await settle(conn, again, "complete")
    await assert_balanced(conn)


async def test_a_mix_of_ends_on_several_endpoints_gives_all_back(conn: Connection) -> None:
    for name in ("a", "b", "c"):
        await an_endpoint(conn, name, mode="fixed", max=50, estimate=1)
        await calls(conn, len(ENDS), endpoint=name)
    await calls(conn, len(ENDS), endpoint="")
    worker = await a_caller(conn)
    running = await claimed(conn, worker)
    assert len(running) == 4 * len(ENDS)
    rows = await conn.fetch(
        "select * from holdfast.settle_and_claim($1, 0, $2, $3, $4, $5, $6)",
        *(worker, [job.id for job in running], [job.token for job in running]),
        *([verb for verb, _ in ENDS.values()] * 4, [None] * len(running), [None] * len(running)),
    )
    assert rows == []
    assert await conn.fetchval("select sum(in_flight) from holdfast.endpoints") == 0
    await assert_balanced(conn)


async def test_work_done_by_an_operator_says_nothing_about_the_endpoint(
    conn: Connection, clock: FakeClock
) -> None:
    await an_endpoint(conn)
    await calls(conn, 1)
    await open_circuit(conn, 0)
    (probe,) = await claimed(conn, await a_caller(conn))
    await conn.execute("select holdfast.complete_as_operator($1, '1', 'because', 'Ada')", [probe.id])
    assert (await the_endpoint(conn))["circuit"] == "half_open"
