"""When the stages of the posts pipeline start: NOTIFY wakes their workers at once, and `rate` bounds them.

Nothing here polls at an interval of a stage's own.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from examples.posts_pipeline.app import ADDRESSES, DATABASE, STAGES, posts_app
from examples.posts_pipeline.model import Models, Post
from holdfast import Holdfast, PipelineHandle, State, Worker
from holdfast.testing import FakeClock, ModelServer, count_by_state, drain, install_fake_clock
from holdfast.worker.claim import wake
from tests.patience import PATIENCE

ADVERTISEMENT = Post.of(3).payload  # triage rejects it: one start, one call
QUESTION = Post.of(0).payload


@dataclass(frozen=True, slots=True)
class System:
    app: Holdfast
    posts: PipelineHandle


@pytest.fixture
async def system(database_url: str) -> AsyncIterator[System]:
    async with ModelServer(answer=Models().answer, base=0) as server:
        addresses = dict.fromkeys(ADDRESSES.values(), server.url)
        app, posts = posts_app({DATABASE: database_url, **addresses})
        async with app:
            yield System(app, posts)


@pytest.fixture
async def clock(system: System) -> FakeClock:
    return await install_fake_clock(system.app.database)


async def test_a_stage_of_four_a_minute_starts_no_more_than_four_in_any_minute(
    system: System, clock: FakeClock
) -> None:
    system.app.queue("posts.triage", rate="4/minute")
    await system.app.declare()
    await system.posts.enqueue_many([system.posts.call(**ADVERTISEMENT) for _ in range(10)])
    ended = []
    for wait in (0, 30, 30, 59, 1):
        await clock.advance(wait)
        await drain(system.app)
        ended.append((await count_by_state(system.app.database)).get(State.REJECTED, 0))
    assert ended == [4, 4, 8, 8, 10]


async def test_a_post_passes_four_workers_that_never_poll(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker for each stage, each woken by NOTIFY: a poll would come after a day."""
    monkeypatch.setattr(wake, "FIRST_POLL", 86_400.0)
    monkeypatch.setattr(wake, "LAST_POLL", 86_400.0)
    await system.app.declare()
    workers = [Worker(system.app, [f"posts.{stage}"]) for stage in STAGES]
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for worker in workers:
            group.create_task(worker.run())
        post = await system.posts.enqueue(**QUESTION)
        await post.result()
        for worker in workers:
            worker.stop()
    assert (await post.job()).state is State.COMPLETED
