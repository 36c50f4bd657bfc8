"""The verbs of a worker do the same in every way in: SQL, Python and HTTP."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.model.outcome import (
    Advanced,
    Completed,
    ErrorClass,
    ErrorReport,
    Failed,
    Rejected,
    Released,
    Snoozed,
    Waiting,
)
from holdfast.model.payload import JsonText
from tests.api.conftest import MakeKey
from tests.api.ways_in import Ending, HttpWay, PythonWay, SqlWay, Way

HOUR = timedelta(hours=1)


def failure(name: str, after: int | None = None) -> Ending:
    error = ErrorReport(ErrorClass(name), "Boom", "it broke")
    later = {} if after is None else {"retry_after": after}
    said = {"class": name, "type": "Boom", "message": "it broke"}
    outcome = Failed(error, None if after is None else timedelta(seconds=after))
    return Ending(outcome, "fail", {"error": said, **later})


ENDINGS: dict[str, Ending] = {
    "completed": Ending(Completed(JsonText('{"ok":1}'), 2), "complete", {"output": {"ok": 1}, "units": 2}),
    "transient": failure("transient", 60),
    "rate limited": failure("rate_limited", 60),
    "permanent": failure("permanent"),
    "system": failure("system", 60),
    "snoozed": Ending(Snoozed(HOUR, "later"), "snooze", {"delay": 3600, "reason": "later"}),
    "released": Ending(Released("bye"), "release", {"reason": "bye"}),
    "rejected": Ending(Rejected("no", JsonText("7")), "reject", {"reason": "no", "output": 7}),
    "waiting": Ending(Waiting("signal:go", HOUR), "wait", {"signal": "go", "timeout": 3600}),
    "advanced": Ending(
        Advanced("next", JsonText("1"), task="other", priority=70, delay=HOUR),
        "complete",
        {"output": 1, "next": {"stage": "next", "task": "other", "priority": 70, "delay": 3600}},
    ),
}
# What is left behind, but for ids, the queue, and times.
JOBS = """
select
  j.task, j.state, j.priority, j.attempt, j.failures, j.losses, j.deferrals, j.stage, j.reason,
  j.output::text, j.units, round(extract(epoch from j.due_at - holdfast.now()) / 60), j.worker is null,
  (select array_agg((a.outcome, a.class, a.counted, a.error_type, a.message)::text)
   from holdfast.attempts as a where a.job_id = j.id),
  (select array_agg((c.name, c.data::jsonb, c.attempt)::text order by c.name)
   from holdfast.checkpoints as c where c.job_id = j.id),
  (select p.done from holdfast.progress as p where p.job_id = j.id)
from holdfast.job_view as j
where j.queue = $1
order by j.id
"""


@pytest.fixture
async def ways(app: Holdfast, http: AsyncClient, make_key: MakeKey) -> Sequence[Way]:
    return SqlWay(app.database), PythonWay(app.database), HttpWay(http, await make_key("worker"))


async def enqueue(app: Holdfast, way: Way, count: int = 1) -> None:
    await app.database.execute(
        "select holdfast.enqueue_jobs(array['task'], array_fill('{\"n\": 1}'::json, array[$1::integer]),"
        " jsonb_build_object('queue', $2::text))",
        count,
        way.queue,
    )


async def left_by(app: Holdfast, way: Way) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await app.database.fetch(JOBS, way.queue)]


async def test_every_end_leaves_the_same_behind(app: Holdfast, ways: Sequence[Way]) -> None:
    for way in ways:
        await way.register()
        for name, ending in ENDINGS.items():
            await enqueue(app, way)
            (job,) = await way.claim() or []
            assert job.payload == {"n": 1}
            assert await way.save(job, "half", {"page": 3}), name
            assert await way.report(job, 3), name
            assert await way.end(job, ending), (way.queue, name)
            assert not await way.end(job, ending), (way.queue, name)
            assert not await way.save(job, "late", 1), (way.queue, name)
            assert not await way.report(job, 9), (way.queue, name)
            if name == "released":
                (job,) = await way.claim() or []
                await way.end(job, ENDINGS["completed"])
    sql, python, http = [await left_by(app, way) for way in ways]
    assert len(sql) == len(ENDINGS)
    assert sql == python
    assert sql == http


async def test_leases_are_kept_and_lost_alike(app: Holdfast, ways: Sequence[Way]) -> None:
    for way in ways:
        await way.register()
        await enqueue(app, way, 3)
        first, second = await way.claim(2) or []
        assert await way.renew()
        await way.end(first, ENDINGS["completed"])
        await app.database.execute(
            "update holdfast.workers set lease_until = holdfast.now() - interval '1 second'"
            " where queues = array[$1::text]",
            way.queue,
        )
        assert await way.claim() is None, "without a lease"
        await app.database.execute("select holdfast.rescue_jobs()")
        assert not await way.end(second, ENDINGS["completed"]), "it was rescued"
        assert await way.renew()
        assert len(await way.claim() or []) == 1
        assert await way.stop() == 1
        assert not await way.renew()
        assert await way.claim() is None
    sql, python, http = [await left_by(app, way) for way in ways]
    assert sql == python
    assert sql == http
