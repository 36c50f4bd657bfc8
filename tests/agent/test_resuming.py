"""A conversation that was broken off goes on where it was; nothing is paid for or done twice."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.recorded_call import NewCall
from holdfast.model.state import State
from holdfast.testing import Answer, Refusal, ToolCall
from holdfast.worker.context.job_context import JobContext
from tests.agent import worker_process
from tests.agent.scene import QUEUE, WRITTEN, scene
from tests.patience import PATIENCE
from tests.worker.working import ended, working

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def worker(database_url: str, server_url: str, api: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.agent.worker_process", server_url, api),
        cwd=ROOT,
        env={**os.environ, "HOLDFAST_DATABASE_URL": database_url, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.alone
@pytest.mark.parametrize("api", [pytest.param("openai", marks=pytest.mark.slow), "ollama"])
async def test_after_kill_9_completed_calls_are_not_made_again(
    app: Holdfast, database_url: str, api: str
) -> None:
    await app.database.execute(worker_process.TABLE)
    both = Answer(tool_calls=(ToolCall("book", {"seat": 4}), ToolCall("check", {})))
    async with scene(
        app, ToolCall("book", {"seat": 3}), both, ToolCall("write_to_database", WRITTEN), ""
    ) as s:
        worker_process.make(app, s.server.url, api)
        handle = await app.tasks["book"].enqueue(trip="Rome")
        async with worker(database_url, s.server.url, api) as killed:
            assert await asyncio.wait_for(killed.wait(), PATIENCE) == -signal.SIGKILL
        asked_before = len(s.server.ledger)
        async with worker(database_url, s.server.url, api):
            job = await ended(handle)
        effects = await app.database.fetch("select attempt from effects")
        calls = await s.calls(job.id)
    assert (job.state, job.output, job.attempt) == (State.COMPLETED, WRITTEN, 2)
    assert asked_before == 2
    assert s.server.ledger.repeated == {}
    assert {len(made) for made in s.server.ledger.by_key.values()} == {1}
    assert len(s.server.ledger) == 4
    assert [row["attempt"] for row in effects] == [1, 1]
    assert [(call.attempt, call.name) for call in calls if call.kind == "tool"] == [
        (1, "book"),
        (1, "book"),
        (2, "check"),
        (2, "write_to_database"),
    ]
    assert s.told(2)[-4:] == [
        ("tool", "booked 3"),
        ("assistant", ""),
        ("tool", "booked 4"),
        ("tool", "all is well"),
    ]


async def test_after_a_failed_call_the_conversation_goes_on(app: Holdfast) -> None:
    def note(text: str) -> str:
        """Note something."""
        return f"noted {text}"

    script = (
        ToolCall("note", {"text": "a"}),
        Refusal(500, "boom"),
        ToolCall("write_to_database", WRITTEN),
        "",
    )
    async with scene(app, *script) as s:
        job = await s.run(s.agent(tools=[note]))
        calls = await s.calls(job.id)
    assert (job.state, job.output, job.attempt) == (State.COMPLETED, WRITTEN, 2)
    assert [call.finish_reason for call in calls if call.name == "m"] == [
        "tool_calls",
        "error",
        "tool_calls",
        "stop",
    ]
    assert [call.attempt for call in calls if call.name == "note"] == [1]
    assert s.told(1) == s.told(2)
    assert s.asked[1].key == s.asked[2].key


async def test_what_was_paid_for_is_kept_although_the_database_was_away(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = JobContext.save_call
    tries: list[NewCall] = []

    async def unsteady(
        self: JobContext, call: NewCall, checkpoint: str | None = None, data: Any = None
    ) -> None:
        tries.append(call)
        if len(tries) == 1:
            raise DatabaseUnavailable("gone")
        await real(self, call, checkpoint, data)

    monkeypatch.setattr(JobContext, "save_call", unsteady)
    monkeypatch.setattr("holdfast.agent.record_calls.SAVE_AGAIN_AFTER", 0.01)
    async with scene(app, "") as s:
        job = await s.run(s.agent(output=str))
    assert (job.state, job.attempt, len(s.asked)) == (State.COMPLETED, 1, 1)


async def test_a_decision_that_could_not_be_reported_is_told_again(app: Holdfast) -> None:
    """The worker vanished between the record of the decision and the job's end."""
    async with scene(app, ToolCall("reject", {"reason": "spam"})) as s:
        task = s.agent()
        job = await s.run(task)
        saved = await app.database.fetch(
            "select name, data from holdfast.checkpoints where job_id = $1", job.id
        )
        handle = await task.enqueue(title="Boats")
        await app.database.execute(
            "insert into holdfast.checkpoints select $1, name, data, 1, saved_at from holdfast.checkpoints",
            handle.id,
        )
        async with working(app, QUEUE):
            again = await ended(handle)
    assert len(saved) == 2
    assert (again.state, again.reason, len(s.asked)) == (State.REJECTED, "spam", 1)
