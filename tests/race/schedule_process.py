"""A process that does a worker's rounds over the schedules until the clock has passed a moment."""

import asyncio
import sys
from datetime import datetime

from holdfast.db.clock import now
from holdfast.db.connect import Database
from holdfast.maintenance.fire_schedules import fire_schedules


async def main(url: str, until: datetime) -> None:
    async with Database(url) as database:
        while await now(database) < until:
            await fire_schedules(database)
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], datetime.fromisoformat(sys.argv[2])))
