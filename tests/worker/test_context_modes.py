"""Every public member of a JobContext does the same in the loop, in a thread and in a child process."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast import Holdfast, JobContext, Worker
from holdfast.client.job_handle import JobHandle
from holdfast.db.recorded_calls import list_calls
from holdfast.model.state import State
from tests.worker import context_tasks as tasks
from tests.worker.working import ended, until, working

# What the handler returns that uses the member; None where only the job shows it, see the tests below.
EXPECTED: dict[str, Any] = {
    "attempt": 2,  # the first was that of the stage before
    "failures": 0,
    "generation": 1,
    "labels": {"kind": "test"},
    "slot": None,
    "run": True,
    "endpoint": None,
    "endpoint_ok": [None, True],
    "stage": "here",
    "resources": {"greeting": "hello"},
    "blocking": [],
    "time_left": True,
    "units": None,
    "cancelled": None,
    "should_yield": [False, True],
    "resume_data": {"page": 7},
    "checkpoint": {"page": {"n": 1}},
    "checkpoints": [{}, {"page": [1, None, "ü"]}],
    "step": [1, 1],
    "cached": ["it broke", True, True],
    "save_call": {"answer": {"found": 3}},
    "label": {"colour": "red"},
    "progress": None,
    "context": {"begin": {"begun": True}},
    "history": [["output", "begin", {"begun": True}]],
    "advance": {"by": "marker"},
    "open_stages": ["after", "begin", "here"],
    "wait_for": {"ok": 1},
    "spawn": [2, 4],
}
OF_THE_JOB = {"id", "task", "queue", "idempotency_key", "enqueue", "reject", "transaction"}
ELSEWHERE = 'remove mode="process", or let a second task without process mode write to the database'
TRANSACTION = {
    "loop": "committed",
    "thread": "write the handler as 'async def', and use 'async with ctx.transaction()'",
    "process": ELSEWHERE,
    "async-process": ELSEWHERE,
}


@pytest.fixture
async def app(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Holdfast]:
    """The app of the module that children load, on this test's database."""
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with tasks.app as opened:
        await opened.declare()
        yield opened


def test_every_public_member_of_the_context_is_used_here() -> None:
    assert tasks.members(JobContext) == tasks.USES.keys() == EXPECTED.keys() | OF_THE_JOB


@pytest.mark.slow
@pytest.mark.parametrize("mode", tasks.MODES)
async def test_every_member_does_the_same_in_each_mode(app: Holdfast, mode: str) -> None:
    jobs = {use: await enqueued(mode, use) for use in tasks.USES}
    await jobs["wait_for"].signal("go", {"ok": 1})
    leaving = Worker(app, app.queue_names, slots=4)
    working_first = asyncio.create_task(leaving.run())
    try:
        await until(waits(jobs["cancelled"]))
        await jobs["cancelled"].cancel("not needed")
        await until(waits(jobs["should_yield"]))
    finally:
        leaving.stop()
        await working_first
    async with working(app, *app.queue_names, slots=4):
        found = {use: await ended(handle) for use, handle in jobs.items()}
        child = await ended(app.job(found["enqueue"].output))
    assert {use: found[use].output for use in EXPECTED} == EXPECTED
    (installation,) = await app.database.fetch("select id from holdfast.installation")
    assert {use: found[use].output for use in OF_THE_JOB} == {
        "id": str(jobs["id"].id),
        "task": tasks.TASKS[mode].name,
        "queue": f"{mode}.here",
        "idempotency_key": f"{installation['id']}:{jobs['idempotency_key'].id}:1:2:pay",
        "enqueue": str(child.id),
        "reject": None,
        "transaction": TRANSACTION[mode],
    }
    assert (child.output, child.priority, child.parent) == (6, 7, jobs["enqueue"].id)
    assert (found["reject"].state, found["reject"].reason) == (State.REJECTED, "not this one")
    assert (found["cancelled"].state, found["cancelled"].labels["seen"]) == (State.CANCELLED, [False, True])
    assert found["units"].units == 3.5
    assert found["label"].labels == {"colour": "red"}
    shown = found["progress"].progress
    assert shown is not None
    assert (shown.done, shown.total, shown.failed, shown.note) == (3, 4, 1, "nearly")
    (call,) = await list_calls(app.database, jobs["save_call"].id)
    assert (call.name, call.units, call.argument_bytes) == ("search", 2.0, 12)


@pytest.mark.parametrize("mode", ["loop", "thread", "process"])
async def test_every_write_of_a_job_that_was_taken_away_raises_in_each_mode(
    app: Holdfast, mode: str, tmp_path: Path
) -> None:
    trace = tmp_path / "noticed"
    handle = await app.find_task(f"lost-{mode}").enqueue(trace=str(trace))
    # A sweep would kill the process before it has noticed, and run the job again.
    async with working(app, sweep=timedelta(hours=1)):
        await until(waits(handle))
        await app.database.execute(
            "update holdfast.jobs set token = gen_random_uuid() where id = $1", handle.id
        )

        async def noticed() -> str:
            return trace.read_text() if trace.exists() else ""

        assert await until(noticed) == "progress checkpoint save_call enqueue"


async def enqueued(mode: str, use: str) -> JobHandle[Any]:
    return await tasks.MODES[mode].options(labels={"kind": "test"}).enqueue(use=use)


def waits(handle: JobHandle[Any]) -> Callable[[], Awaitable[bool]]:
    """Whether its handler has begun to wait for its event."""

    async def is_so() -> bool:
        return (await handle.job()).labels.get("waits") is True

    return is_so
