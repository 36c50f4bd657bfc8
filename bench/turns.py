"""A worker's turns on one queue, timed and explained."""

import json
from time import perf_counter
from typing import Any
from uuid import UUID, uuid4

from holdfast.db.connect import Connection

TURN = "holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7)"


class Drain:
    """A worker of one queue, without handlers: each turn settles what the last one claimed."""

    def __init__(self, connection: Connection, queue: str) -> None:
        self._connection = connection
        self._queue = queue
        self._worker = uuid4()
        self._ends: list[tuple[UUID, UUID]] = []

    async def prepare(self, options: dict[str, str], jobs: int) -> None:
        await self._connection.execute(
            "select holdfast.register_worker($1, array[$2], '{\"lease\": 3600}')", self._worker, self._queue
        )
        await self._connection.execute(
            "select count(*) from holdfast.enqueue_jobs("
            "array['noop'], array_fill('{}'::json, array[$1::int]), $2)",
            jobs,
            json.dumps({"queue": self._queue, **options}),
        )

    async def turn(self, size: int) -> float:
        """Seconds for one: what the last turn claimed is completed, as much is claimed."""
        arguments = self._arguments(size)
        began = perf_counter()
        rows = await self._connection.fetch(f"select * from {TURN}", *arguments)
        seconds = perf_counter() - began
        self._take(rows, size)
        return seconds

    async def turn_if_any(self) -> bool:
        """One job, if one may start now; whether there was one."""
        rows = await self._connection.fetch(f"select * from {TURN}", *self._arguments(1))
        self._ends = [(row["job_id"], row["token"]) for row in rows if row["kind"] == "job"]
        return bool(self._ends)

    async def explained(self, size: int) -> tuple[float, float]:
        """Buffers and bytes of WAL of one turn."""
        text = await self._connection.fetchval(
            f"explain (analyze, buffers, wal, format json) select * from {TURN}", *self._arguments(size)
        )
        plan = json.loads(text)[0]["Plan"]
        rows = await self._connection.fetch(
            "select 'job' as kind, id as job_id, token from holdfast.jobs where worker_id = $1", self._worker
        )
        self._take(rows, size)
        return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], plan["WAL Bytes"]

    def _arguments(self, size: int) -> tuple[Any, ...]:
        ids, tokens = [e[0] for e in self._ends], [e[1] for e in self._ends]
        nothing = [None] * len(ids)
        return self._worker, size, ids, tokens, ["complete"] * len(ids), nothing, nothing

    def _take(self, rows: list[Any], size: int) -> None:
        self._ends = [(row["job_id"], row["token"]) for row in rows if row["kind"] == "job"]
        if len(self._ends) != size:
            raise RuntimeError(f"{len(self._ends)} jobs claimed of {size} from {self._queue}")
