"""Keeps every part producing for as long as harm is done."""

import asyncio
import random

from holdfast.cli.chaos.ledger import Ledger
from holdfast.cli.chaos.part import Giver, Part
from holdfast.cli.chaos.parts import all_parts
from holdfast.db.connect import Database

PAUSE = 0.4  # on average, between two rounds of a part
PATIENCE = 8.0  # longer than any fault: then whoever answers is gone, and what was sent is indeterminate


async def produce(url: str, ledger: Ledger, seed: int, over: asyncio.Event) -> None:
    """Each part has its own luck: how fast one is served does not change what another one does."""
    async with (
        Database(url, pool_size=6, application_name="holdfast chaos producer") as database,
        asyncio.TaskGroup() as group,
    ):
        for part in all_parts():
            giver = Giver(database, ledger, random.Random(f"{seed} {part.name}"))
            group.create_task(_produce(part, giver, over))


async def _produce(part: Part, giver: Giver, over: asyncio.Event) -> None:
    while not over.is_set():
        try:
            async with asyncio.timeout(PATIENCE):
                await part.produce(giver)
        except TimeoutError:
            giver.ledger.disturbed += 1
        await asyncio.sleep(giver.luck.random() * 2 * PAUSE)
