"""Chat messages answered exactly once by six workers, one of which is killed."""

import signal
from collections.abc import Callable

import pytest

from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
WORKERS = 6


@pytest.mark.parametrize(
    "count", [6, *(pytest.param(count, marks=pytest.mark.slow) for count in (300, 6_000))]
)
async def test_each_message_is_answered_once_and_the_reply_is_its_own(
    here: World, database_url: str, start: Start, count: int
) -> None:
    messages = [{"entity": f"entity {n % 7}", "text": f"message {n}"} for n in range(count)]
    workers = [start(database_url, slots=10, lease=2) for _ in range(WORKERS)]
    await until(lambda: all_here(here))
    ids = await here.enqueue("answer", *messages)
    await until(here.has_calls(count // 3))
    workers[0].signal(signal.SIGKILL)
    assert (await workers[0].ended())[0] == -9
    await until(here.reaches(completed=count))

    rows = await here.conn.fetch("select id, output ->> 'entity', output ->> 'reply' from holdfast.history")
    replies = {row[0]: (row[1], row[2]) for row in rows}
    assert len(rows) == len(replies) == count
    assert replies == {
        job: (message["entity"], f"re: {message['text']}") for job, message in zip(ids, messages, strict=True)
    }
    assert await here.violations() == {}
    for worker in workers[1:]:
        worker.signal(signal.SIGTERM)
    assert [(await worker.ended())[0] for worker in workers[1:]] == [0] * (WORKERS - 1)


async def all_here(here: World) -> bool:
    return await here.workers() == ["working"] * WORKERS
