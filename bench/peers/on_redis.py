"""Scripts of systems that keep their jobs in Redis: an end is recorded when its result is stored."""

from typing import Any

from redis.asyncio import Redis

from bench.peers.script import Count, Script


class RedisScript(Script):
    queue: str  # the key of the list or sorted set of jobs that are not done
    results: str  # the pattern of the keys of results
    _connection: Any = None

    async def prepare(self, url: str) -> None:
        await self._redis(url).flushall()

    async def count(self, url: str) -> Count:
        """When the last result was stored is not recorded everywhere: the watcher's own look counts."""
        redis = self._redis(url)
        done = 0
        async for _ in redis.scan_iter(self.results, count=5000):
            done += 1
        return Count(done, await self._length(redis))

    async def is_done(self, url: str) -> bool:
        return await self._length(self._redis(url)) == 0

    async def _length(self, redis: Any) -> int:
        kind = await redis.type(self.queue)
        if kind == b"zset":
            return int(await redis.zcard(self.queue))
        return int(await redis.llen(self.queue)) if kind == b"list" else 0

    def _redis(self, url: str) -> Any:
        if self._connection is None:
            self._connection = Redis.from_url(url)
        return self._connection
