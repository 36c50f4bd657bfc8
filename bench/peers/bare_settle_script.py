"""The ceiling: settle_and_claim in a bare loop, without handlers, on as many connections as a worker uses."""

import asyncio
from typing import Any
from uuid import uuid4

import asyncpg

from bench.peers.holdfast_script import SLOTS, HoldfastScript
from bench.peers.script import Handled, main

CONNECTIONS = 2
BATCH = SLOTS // 2  # a worker asks for half of its slots at a time
TURN = "select job_id, token from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7) where kind = 'job'"


class BareSettleScript(HoldfastScript):
    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        worker = uuid4()
        connections = [await asyncpg.connect(url) for _ in range(CONNECTIONS)]
        await connections[0].execute(
            "select holdfast.register_worker($1, array['default'], '{\"lease\": 3600}')", worker
        )
        await handled.begin()
        await asyncio.gather(*(_turns(connection, worker, handled, stop) for connection in connections))


async def _turns(connection: Any, worker: Any, handled: Handled, stop: asyncio.Event) -> None:
    held: list[Any] = []
    while held or not stop.is_set():
        n = len(held)
        ids, tokens = [row["job_id"] for row in held], [row["token"] for row in held]
        held = await connection.fetch(
            TURN, worker, BATCH, ids, tokens, ["complete"] * n, [None] * n, [None] * n
        )
        handled.count += len(held)
        if not held:
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    main(BareSettleScript())
