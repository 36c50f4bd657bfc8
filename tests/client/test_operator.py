"""app.operator: actions on live jobs, by id or by filter."""

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.filters import PayloadValue
from holdfast.db.connect import Database
from holdfast.model.error import InvalidInput, InvalidOption
from holdfast.model.move import Moved, RebalanceResult
from holdfast.model.operator_action import OperatorResult
from holdfast.model.state import State
from tests.builders import ready_job
from tests.client.working import claim


async def enqueue(db: Database, count: int, queue: str = "default") -> None:
    await db.execute(
        "select holdfast.enqueue_jobs(array['t'], array_fill('{}'::json, array[$1::int]),"
        " jsonb_build_object('queue', $2::text))",
        count,
        queue,
    )


async def test_a_filter_is_worked_off_in_steps_and_each_job_met_once(app: Holdfast, db: Database) -> None:
    await enqueue(db, 2300, "q")
    await enqueue(db, 1, "other")
    results = await app.operator.set_priority(to=90, reason="urgent", queue="q")
    assert (len(results), {*results.values()}) == (2300, {OperatorResult.SET})
    rows = await db.fetch("select priority, count(*) from holdfast.jobs group by priority order by priority")
    assert [tuple(row) for row in rows] == [(50, 1), (90, 2300)]
    (events,) = await db.fetch("select count(*) from holdfast.events where cause = 'set_priority'")
    assert events["count"] == 2300


async def test_jobs_are_chosen_by_values_of_their_payload(app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        wanted = await ready_job(conn, payload={"customer": {"id": 4711, "vip": True}})
        await ready_job(conn, payload={"customer": {"id": 4711, "vip": False}})
    values: dict[str, PayloadValue] = {"customer.id": 4711, "customer.vip": True}
    assert [job.id for job in await app.jobs(payload=values)] == [wanted]
    results = await app.operator.set_priority(to=90, reason="urgent", payload=values)
    assert results == {wanted: OperatorResult.SET}


@pytest.mark.parametrize("hostile", [{"a\x00b": 1}, {"a": "\x00"}, {"\ud800": 1}, {"a": float("nan")}])
async def test_a_payload_that_no_database_holds_is_refused(
    app: Holdfast, hostile: dict[str, PayloadValue]
) -> None:
    with pytest.raises(InvalidInput):
        await app.jobs(payload=hostile)


async def test_running_jobs_are_reclaimed_by_filter(app: Holdfast, db: Database) -> None:
    await enqueue(db, 3)
    _, claimed = await claim(db, n=2)
    results = await app.operator.reclaim(reason="the host hangs", state=State.RUNNING)
    assert results == dict.fromkeys([job.id for job in claimed], OperatorResult.RECLAIMED)
    assert len(await app.jobs(state=State.READY)) == 3


async def test_named_jobs_are_completed_or_given_up(app: Holdfast, db: Database) -> None:
    await enqueue(db, 2)
    first, second = await app.jobs()
    assert await app.operator.complete(first.id, output={"n": 1}, reason="done by phone") == {
        first.id: OperatorResult.COMPLETED
    }
    assert await app.job(first.id).result() == {"n": 1}
    await app.operator.fail(str(second.id), reason="nobody wants it")
    assert [letter.reason for letter in await app.dead.find()] == ["given_up"]


async def test_it_must_be_clear_which_jobs_are_meant(app: Holdfast, db: Database) -> None:
    await enqueue(db, 1)
    (job,) = await app.jobs()
    with pytest.raises(InvalidOption):
        await app.operator.fail(reason="all of them?")
    with pytest.raises(InvalidOption):
        await app.operator.fail(job.id, reason="or these?", queue="q")
    with pytest.raises(InvalidOption, match="reason"):
        await app.operator.fail(job.id, reason="")
    assert (await app.job(job.id).status()) is State.READY


async def test_jobs_are_moved_in_steps_up_to_the_limit(app: Holdfast, db: Database) -> None:
    await enqueue(db, 2300, "q")
    await enqueue(db, 1, "other")
    assert await app.operator.move_jobs("q", "other", 2100, reason="too many") == Moved(2100, 0)
    assert await app.operator.move_jobs("q", "other", 2100, reason="too many") == Moved(200, 0)
    (events,) = await db.fetch("select count(*) from holdfast.audit_view where cause = 'move_jobs'")
    assert events["count"] == 4


async def test_queues_are_rebalanced_by_the_pairs_that_are_set(app: Holdfast, db: Database) -> None:
    await enqueue(db, 20, "q")
    await enqueue(db, 1, "other")
    changes = await app.settings.set_rebalance("q", "other", reason="load", max_jobs=4)
    assert [change.setting for change in changes] == ["least_depth", "max_jobs", "ratio"]
    (pair,) = await app.settings.rebalance_pairs()
    assert (pair.from_queue, pair.to_queue, pair.ratio, pair.max_jobs) == ("q", "other", 3, 4)
    (dry,) = await app.operator.rebalance(dry_run=True)
    (done,) = await app.operator.rebalance()
    assert (dry.result, done.result) == (RebalanceResult.WOULD_MOVE, RebalanceResult.MOVED)
    assert (dry.jobs, done.jobs, done.from_ready, done.to_ready) == (4, 4, 20, 1)
    await app.settings.remove_rebalance("q", "other")
    assert await app.settings.rebalance_pairs() == []
