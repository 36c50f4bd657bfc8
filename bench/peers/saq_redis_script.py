"""saq on Redis under test: 100 jobs at a time, results kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from saq import Queue

from bench.peers.on_redis import RedisScript
from bench.peers.saq_script import Client, work_off
from bench.peers.script import Count, Handled, main


class SaqRedisScript(RedisScript):
    package = "saq"
    queue = "saq:default:incomplete"
    results = "saq:job:default:*"  # the job itself, which is kept with its result

    @asynccontextmanager
    async def client(self, url: str, callers: int) -> AsyncIterator[Client]:
        queue = Queue.from_url(url)
        await queue.connect()
        yield Client(queue)
        await queue.disconnect()

    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        await work_off(Queue.from_url(url), handled, stop)

    async def count(self, url: str) -> Count:
        """The key is there from the start: what is not incomplete is done."""
        kept = await super().count(url)
        return Count(kept.done - kept.left, kept.left)


if __name__ == "__main__":
    main(SaqRedisScript())
