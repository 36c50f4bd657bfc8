"""Wrappers around payloads that do not fit, stages of a pipeline, agents, and handlers in child processes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from holdfast import JobContext, Pipeline, Stage
from holdfast.client.app import Holdfast
from holdfast.model.state import State
from tests.agent.scene import scene
from tests.worker import around_tasks as tasks
from tests.worker import resource_tasks
from tests.worker.test_around import errors_of, run_once
from tests.worker.working import ended, working


async def test_a_payload_that_does_not_fit_is_seen_by_wrappers_too(app: Holdfast) -> None:
    seen: list[str] = []

    @app.around
    async def report(ctx: JobContext) -> AsyncIterator[None]:
        try:
            yield
        except Exception as exc:
            seen.append(type(exc).__name__)
            raise

    @app.task()
    async def work(n: int) -> None: ...

    await app.database.execute("""select holdfast.enqueue('work', '{"n": "many"}')""")
    await run_once(app)
    assert len(seen) == 1


async def test_every_stage_of_a_pipeline_is_wrapped(app: Holdfast) -> None:
    stages: list[str | None] = []

    @app.around
    async def note(ctx: JobContext) -> AsyncIterator[None]:
        stages.append(ctx.stage)
        yield

    @app.task()
    async def draft(ctx: JobContext) -> dict[str, str]:
        return {"text": "hello"}

    @app.task()
    async def check(ctx: JobContext) -> Any:
        return (await ctx.context)["draft"]

    posts = app.pipeline(Pipeline("posts", [Stage("draft", task=draft), Stage("check", task=check)]))
    await app.declare()
    handle = await posts.enqueue()
    async with working(app, *app.queue_names):
        assert (await ended(handle)).output == {"text": "hello"}
    assert stages == ["draft", "check"]


@pytest.fixture
async def found(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Holdfast]:
    """The app of the module that the children load, on this test's database."""
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with tasks.app as opened:
        yield opened


@pytest.mark.slow
async def test_wrappers_of_process_handlers_run_in_the_child(found: Holdfast) -> None:
    async with working(found):
        pid, seen, own = (await ended(await tasks.plain.enqueue())).output
        assert (seen, own) == (f"plain in {pid}", "a loop of its own")
        pid, seen = (await ended(await tasks.asynchronous.enqueue())).output
        assert seen == f"asynchronous in {pid}"
        forked = await ended(await tasks.forks.enqueue())
        assert forked.state is State.COMPLETED


async def test_what_a_wrapper_in_a_child_raises_is_the_outcome(found: Holdfast) -> None:
    async with working(found):
        failed, left = await tasks.fails.enqueue(), await tasks.leaves.enqueue()
        assert [(await ended(handle)).state for handle in (failed, left)] == [State.DEAD] * 2
    assert await errors_of(found, failed) == [("Permanent", "the wrapper said so")]
    assert [kind for kind, _ in await errors_of(found, left)] == ["SystemExit"]


async def test_an_agent_is_wrapped(app: Holdfast) -> None:
    seen: list[str] = []

    @app.around
    async def note(ctx: JobContext) -> AsyncIterator[None]:
        seen.append(ctx.task)
        yield
        seen.append("done")

    async with scene(app, "answer") as s:
        job = await s.run(s.agent(output=str))
    assert (job.output, seen) == ("answer", ["triage", "done"])


async def test_a_wrapper_in_a_child_uses_the_resources_of_the_child(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    monkeypatch.setenv("TRACE", str(tmp_path / "trace"))
    async with resource_tasks.app as app, working(app):
        for task in (resource_tasks.in_child, resource_tasks.async_in_child):
            of, pid = (await ended(await task.enqueue())).output
            assert of == pid
            assert f"wrapped by {of} {pid}" in (tmp_path / "trace").read_text()
