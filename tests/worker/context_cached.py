"""The use of ctx.cached, in each mode."""

from typing import Any

from holdfast import JobContext
from tests.worker.context_reach import Reach


async def cached(ctx: JobContext, reach: Reach) -> Any:
    def compute() -> Any:
        return {"by": ctx.task, "price": 1.5}

    def fail() -> Any:
        raise ValueError("it broke")

    seen = ""
    try:
        await reach.call("cached", "price", "1h", fail)
    except ValueError as exc:
        seen = str(exc)
    first = await reach.call("cached", "price", "1h", compute)
    return [seen, first == compute(), first == await reach.call("cached", "price", "1h", fail)]
