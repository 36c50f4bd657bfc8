"""Jobs that take a moment and fail now and then; some late, some urgent, some with much to carry."""

import asyncio
import random
from typing import Any

from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.client.app import Holdfast


class Plain(Part):
    name = "plain"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def plain(ref: str, number: int, filler: str = "") -> int:
            await asyncio.sleep(random.random() * 0.3)
            if random.random() < 0.05:
                raise RuntimeError("an error now and then")
            return number

    async def produce(self, giver: Giver) -> None:
        luck = giver.luck
        payloads: list[dict[str, Any]] = [{"number": number} for number in range(luck.randint(1, 20))]
        payloads[0]["filler"] = "x" * luck.choice((0, 0, 5000))
        each = [_options(luck) for _ in payloads]
        await giver.give("plain", payloads, each)


def _options(luck: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if luck.random() < 0.2:
        options["delay"] = luck.random()
    if luck.random() < 0.3:
        options["priority"] = luck.randint(0, 100)
    return options


PART = Plain()
