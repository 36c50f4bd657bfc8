"""The process that the platform starts: one worker for one time box, with the POST's body on stdin."""

import asyncio
import json
import sys
from datetime import timedelta

from examples.analysis_runs.app import Life, app, work


async def main(continue_by: str, seconds: float, slots: int) -> None:
    life = Life(timedelta(seconds=seconds), slots, most=1, apart=timedelta(0))
    async with app:
        print(await work(json.load(sys.stdin), continue_by, life))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
