"""Time boxes that requests start: what they answer, and how many there are at once."""

import asyncio

import pytest
from httpx2 import AsyncClient

from holdfast.api.workers import time_box
from holdfast.client.app import Holdfast
from tests.api.conftest import MakeKey
from tests.api.http_worker import HttpWorker
from tests.patience import PATIENCE


async def a_task(n: int = 0) -> int:
    return n


async def test_one_request_runs_a_time_box_of_the_mounted_app(
    app: Holdfast, http: AsyncClient, make_key: MakeKey
) -> None:
    worker = HttpWorker(http, await make_key("worker"))
    assert await worker.refused("/work") == (409, "wrong_state")
    task = app.task(queue="mail")(a_task)
    limited = HttpWorker(http, await make_key("worker", queues=["other"]))
    assert await limited.refused("/work") == (403, "access_denied")
    await task.enqueue(n=7)
    done = await worker.say("/work", time_box=2, queues=["mail"])
    assert (done["success"], done["processed"], done["failed"], done["remaining"]) == (True, 1, 0, 0)
    assert (done["checkpoint"]["processed"], done["continuation"]) == (1, None)


async def test_time_boxes_are_bounded_per_key_and_in_all(
    app: Holdfast, http: AsyncClient, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, end = asyncio.Semaphore(0), asyncio.Event()

    @app.task(queue="mail")
    async def wait() -> None:
        begun.release()
        await end.wait()

    monkeypatch.setattr(time_box, "MOST_BOXES", 2)
    monkeypatch.setattr(time_box, "MOST_PER_KEY", 1)
    one, two, three = [HttpWorker(http, await make_key(role)) for role in ("worker", "admin")] + [
        HttpWorker(http, await make_key("worker", queues=["mail"], tasks=[*app.tasks]))
    ]
    boxes = []
    for caller in (one, two):
        await wait.enqueue()
        boxes.append(asyncio.create_task(caller.say("/work", time_box=30, limit=1)))
        async with asyncio.timeout(PATIENCE):
            await begun.acquire()
        assert await one.refused("/work", time_box=1) == (503, "too_many_time_boxes"), "of its key"
    assert await three.refused("/work", time_box=1) == (503, "too_many_time_boxes"), "of the server"
    end.set()
    async with asyncio.timeout(PATIENCE):
        done = await asyncio.gather(*boxes)
    assert sum(box["processed"] for box in done) == 2
    assert (await one.say("/work", time_box=1))["success"], "there is room again"
