"""An agent in a worker: one instance, one pool, closed at the end; and as a task like any other."""

import asyncio
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast.agent.agent import Agent
from holdfast.agent.http import ModelClient
from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler, InvalidOption, InvalidPayload
from holdfast.model.state import State
from holdfast.testing import ModelServer, Refusal, ToolCall
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.worker import Worker
from tests.agent.scene import QUEUE, WRITTEN, scene
from tests.patience import PATIENCE
from tests.worker.working import ended, in_state, until, working

ROOT = Path(__file__).parents[2]
HERE: dict[str, Any] = {"model": "m", "url": "http://127.0.0.1:1"}


async def test_a_worker_has_one_pool_for_all_jobs_of_an_agent_and_closes_it(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[Any] = []
    real = ModelClient.__init__

    def counted(self: ModelClient, *args: Any) -> None:
        real(self, *args)
        clients.append(self)

    monkeypatch.setattr(ModelClient, "__init__", counted)
    async with scene(app, *["answer"] * 6) as s:
        task = s.agent(output=str)
        for _ in range(2):
            handles = [await task.enqueue(number=number) for number in range(3)]
            async with working(app, QUEUE):
                jobs = [await ended(handle) for handle in handles]
            assert {job.output for job in jobs} == {"answer"}
    assert len(clients) == 2, "one for each worker"
    assert all(client._client.is_closed for client in clients)


async def test_a_worker_that_leaves_hands_the_conversation_over_between_two_turns(app: Holdfast) -> None:
    async def told_to_yield(ctx: JobContext) -> str:
        ctx.should_yield.set()
        return "noted"

    async with scene(app, ToolCall("told_to_yield", {}), ToolCall("write_to_database", WRITTEN), "") as s:
        handle = await s.agent(tools=[told_to_yield]).enqueue(title="Boats")
        await Worker(app, [QUEUE], drain=True, sweep=timedelta(milliseconds=100)).run()
        job = await handle.job()
    assert (job.state, job.output) == (State.COMPLETED, WRITTEN)
    assert (job.attempt, job.failures) == (2, 0)
    assert s.server.ledger.repeated == {}


async def test_an_attempt_longer_than_its_timeout_is_stopped_and_goes_on_in_the_next(app: Holdfast) -> None:
    async def slow(ctx: JobContext) -> str:
        await asyncio.sleep(60 if ctx.attempt == 1 else 0)
        return "at last"

    async with scene(app, ToolCall("slow", {}), "") as s:
        agent = Agent("slow", model="m", url=s.server.url, tools=[slow], output=str)
        # The second attempt must end within it, on a busy machine too.
        task = app.task(queue=QUEUE, timeout="3s", retry=[0])(agent)
        job = await s.run(task)
    assert (job.state, job.attempt, len(s.asked)) == (State.COMPLETED, 2, 2)


async def test_a_payload_is_named_values_or_one_value(app: Holdfast) -> None:
    task = app.task()(Agent("ask", **HERE))
    by_name = await (await task.enqueue(title="a", n=1)).job()
    whole = await (await task.enqueue({"title": "a", "n": 1})).job()
    assert by_name.payload == whole.payload == {"title": "a", "n": 1}
    with pytest.raises(InvalidPayload):
        await task.enqueue({"title": "a"}, n=1)


def test_it_is_named_as_it_says_unless_the_task_says_otherwise(app: Holdfast) -> None:
    assert app.task()(Agent("ask", **HERE)).name == "ask"
    assert app.task(name="other")(Agent("ask", **HERE)).name == "other"
    with pytest.raises(BadHandler, match="Two tasks have the name ask"):
        app.task()(Agent("ask", **HERE))


def test_it_cannot_have_a_process_of_its_own(app: Holdfast) -> None:
    with pytest.raises(BadHandler, match="process"):
        app.task(mode="process")(Agent("ask", **HERE))


async def test_two_agents_of_one_worker_do_not_share_their_settings(app: Holdfast) -> None:
    async with scene(app, "one", "two") as s:
        first, second = s.agent("first", system="A", output=str), s.agent("second", model="n", output=str)
        await s.run(first)
        await s.run(second)
    assert [(request.model, request.messages[0].text) for request in s.asked] == [
        ("m", "A"),
        ("n", "You triage."),
    ]


async def test_a_job_that_is_cancelled_leaves_the_model_alone(app: Holdfast) -> None:
    async with scene(app, "never", outage="hang") as s:
        handle = await s.agent().enqueue(title="Boats")
        async with working(app, QUEUE):
            await until(lambda: asked(s.server))
            await handle.cancel("not needed")
            await until(in_state(handle, State.CANCELLED))


async def asked(server: Any) -> bool:
    return len(server.ledger) > 0


async def test_on_another_endpoint_the_job_is_asked_there_and_the_conversation_goes_on(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key of the one server is not sent to the other."""
    monkeypatch.setenv("OWN_KEY", "own-key-1234")

    def as_if_down(ctx: JobContext) -> str | None:
        return "main" if ctx.attempt == 1 else "spare"

    async with scene(app, ToolCall("note", {}), Refusal(500, "down")) as s, scene(app, "Done.") as spare:

        def note() -> str:
            return "noted"

        monkeypatch.setattr(JobContext, "endpoint", property(as_if_down))
        fallbacks = {"spare": {"url": spare.server.url, "api": "ollama", "model": "n"}}
        task = s.agent(tools=[note], output=str, api_key_env="OWN_KEY", fallbacks=fallbacks)
        job = await s.run(task)
    assert (job.state, job.output) == (State.COMPLETED, "Done.")
    assert s.asked[0].headers["authorization"] == "Bearer own-key-1234"
    (asked_there,) = spare.asked
    assert (asked_there.path, asked_there.model) == ("/api/chat", "n")
    assert spare.told(0)[-1] == ("tool", "noted")
    assert "authorization" not in asked_there.headers


def test_a_fallback_has_settings_of_servers_only() -> None:
    odd: Any = {"colour": "red"}
    with pytest.raises(InvalidOption, match="colour"):
        Agent("a", **HERE, fallbacks={"spare": odd})


@pytest.mark.parametrize("kind", ["async", "plain"])
async def test_a_tool_may_wait_for_a_person_without_a_worker(app: Holdfast, kind: str) -> None:
    async def ask(ctx: JobContext, question: str) -> str:
        return f"a person said {await ctx.wait_for('approval')}"

    def ask_in_thread(ctx: JobContext, question: str) -> str:
        return f"a person said {ctx.blocking.wait_for('approval')}"

    tool = ask if kind == "async" else ask_in_thread
    async with scene(app, ToolCall(tool.__name__, {"question": "May I?"}), "Thank you.") as s:
        handle = await s.agent(tools=[tool], output=str).enqueue(title="Boats")
        async with working(app, QUEUE):
            await until(in_state(handle, State.WAITING))
            await handle.signal("approval", "yes")
            job = await ended(handle)
    assert (job.state, job.output, job.failures) == (State.COMPLETED, "Thank you.", 0)
    assert s.told(1)[-1] == ("tool", "a person said yes")


@pytest.mark.slow
async def test_a_tool_that_never_returns_does_not_keep_the_process_from_leaving(database_url: str) -> None:
    async with ModelServer(base=0, answer=lambda request: ToolCall("hang", {})) as server:
        program = HANGING.format(url=server.url)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program),
            env={**os.environ, "HOLDFAST_DATABASE_URL": database_url, "PYTHONPATH": str(ROOT / "src")},
            stdout=asyncio.subprocess.PIPE,
        )
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    async with Holdfast(database_url) as app:
        (job,) = await app.jobs()
    assert (job.state, job.failures, job.losses) == (State.READY, 0, 0)


HANGING = """
import asyncio, threading
from datetime import timedelta
from holdfast import Agent, Holdfast, Worker

begun = threading.Event()

def hang() -> None:
    begun.set()
    threading.Event().wait()

async def main() -> None:
    async with Holdfast() as app:
        task = app.task()(Agent("ask", model="m", url="{url}", tools=[hang]))
        await task.enqueue(n=1)
        worker = Worker(app, ["default"], grace=timedelta(seconds=1))
        running = asyncio.create_task(worker.run())
        while not begun.is_set():
            await asyncio.sleep(0.01)
        worker.stop()
        await running

asyncio.run(main())
"""
