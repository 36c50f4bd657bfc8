"""The verbs do the same in every way in: SQL, Python and HTTP."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

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
from tests.api.http_way import HttpWay
from tests.api.python_way import PythonWay
from tests.api.sql_way import SqlWay
from tests.api.ways_in import PARKED, Answer, Ending, Family, Way

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
  (select p.done from holdfast.progress as p where p.job_id = j.id),
  j.generation, j.payload::jsonb, j.unique_key is not null,
  (select array_agg((e.cause, e.from_state, e.to_state, e.attempt, e.reason)::text order by e.id)
   from holdfast.events as e where e.job_id = j.id)
from holdfast.job_view as j
where j.queue = $1
"""


@pytest.fixture
async def ways(app: Holdfast, http: AsyncClient, make_key: MakeKey) -> Sequence[Way]:
    keys = [await make_key(role) for role in ("worker", "producer", "operator")]
    return SqlWay(app.database), PythonWay(app.database), HttpWay(http, *keys)


async def enqueue(app: Holdfast, way: Way, count: int = 1) -> None:
    await app.database.execute(
        "select holdfast.enqueue_jobs(array['task'], array_fill('{\"n\": 1}'::json, array[$1::integer]),"
        " jsonb_build_object('queue', $2::text))",
        count,
        way.queue,
    )


async def left_by(app: Holdfast, way: Way) -> list[tuple[Any, ...]]:
    """Sorted by what they say: jobs of one millisecond have no order by id."""
    return sorted((tuple(row) for row in await app.database.fetch(JOBS, way.queue)), key=str)


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


async def test_jobs_and_unique_keys_are_enqueued_alike(app: Holdfast, ways: Sequence[Way]) -> None:
    for way in ways:
        await way.register()
        plain = [await way.enqueue({"n": 1}) for _ in range(2)]
        assert all(made and made[1] for made in plain)
        assert len(set(plain)) == 2
        key = f"{way.queue} 7"
        first = await way.enqueue({"n": 1}, key)
        assert first is not None
        assert first[1]
        assert await way.enqueue({"n": 1}, key) == (first[0], False)
        assert await way.enqueue({"n": 2}, key) is None, "another payload"
        for job in await way.claim(3) or []:
            assert await way.end(job, ENDINGS["completed"])
        again = await way.enqueue({"n": 2}, key)
        assert again is not None
        assert again[1], "the end of its job has freed the key"
        assert again[0] != first[0]
    sql, python, http = [await left_by(app, way) for way in ways]
    assert len(sql) == 4
    assert sql == python
    assert sql == http


async def test_children_are_started_and_waited_for_alike(app: Holdfast, ways: Sequence[Way]) -> None:
    for way in ways:
        await way.register()
        await enqueue(app, way)
        (parent,) = await way.claim() or []
        started = Family(False, [("ready", None), ("ready", None)])
        assert await way.spawn(parent, "pages", [1, 2]) == started
        assert await way.spawn(parent, "pages", [1, 2]) == started, "the same, not two more"
        assert await way.park(parent, "children", "pages") == PARKED
        assert await way.park(parent, "children", "pages") is None
        assert await way.spawn(parent, "more", [3]) is None
        children = await way.claim(5) or []
        assert [child.payload for child in children] == [1, 2]
        for child in children:
            assert await way.end(child, ENDINGS["completed"])
        await app.database.execute("select holdfast.close_runs()")
        (parent,) = await way.claim() or []
        ended = Family(True, [("completed", {"ok": 1}), ("completed", {"ok": 1})])
        assert await way.spawn(parent, "pages", [1, 2]) == ended
        assert await way.end(parent, ENDINGS["completed"])
    sql, python, http = [await left_by(app, way) for way in ways]
    assert len(sql) == 3
    assert sql == python
    assert sql == http


async def test_signals_are_waited_for_and_delivered_alike(app: Holdfast, ways: Sequence[Way]) -> None:
    data = {"by": "ada"}
    for way in ways:
        await way.register()
        await enqueue(app, way)
        (job,) = await way.claim() or []
        assert await way.park(job, "signal", "go") == PARKED
        assert await way.park(job, "signal", "go") is None
        assert await way.signal(job.id, "go", data) == "resumed"
        assert await way.signal(job.id, "go", 2) == "duplicate"
        (job,) = await way.claim() or []
        assert await way.park(job, "signal", "go") == Answer(True, data, False)
        assert await way.signal(job.id, "early", None) == "kept"
        assert await way.park(job, "signal", "early") == Answer(True, None, False)
        assert await way.end(job, ENDINGS["completed"])
        assert await way.signal(job.id, "late", 1) == "ended"
    sql, python, http = [await left_by(app, way) for way in ways]
    assert sql == python
    assert sql == http


async def test_operators_cancel_and_replay_alike(app: Holdfast, ways: Sequence[Way]) -> None:
    for way in ways:
        await way.register()
        made = await way.enqueue({"n": 1})
        assert made is not None
        id_, _ = made
        waited = ("cancel", "cancel", "replay", "replay")
        assert [await way.operate(verb, id_) for verb in waited] == ["cancelled", "ended", "replayed", "live"]
        (job,) = await way.claim() or []
        assert await way.operate("cancel", id_) == "asked"
        assert await way.end(job, ENDINGS["released"]), "and is cancelled by it"
        assert await way.claim() == []
        assert await way.operate("replay", id_) == "replayed"
        for verb in ("cancel", "replay"):
            assert await way.operate(verb, uuid4()) == "not_found"
    sql, python, http = [await left_by(app, way) for way in ways]
    assert len(sql) == 1
    assert sql == python
    assert sql == http
