"""Tasks that log in a process of their own, which must find them in a module."""

import asyncio
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from holdfast.client.app import Holdfast

app = Holdfast(name="tests")
log = logging.getLogger("shop")


@app.task(mode="process", max_failures=1)
def fails_in_process() -> None:
    log.warning("from the child")
    with ThreadPoolExecutor() as pool:
        pool.submit(copy_context().run, log.warning, "from its thread").result()
    raise ValueError("it broke")


@app.task(mode="process", max_failures=1)
async def storms_in_process() -> None:
    for number in range(5000):
        log.warning("line %s %s", number, "x" * 100)


@app.task(mode="process", max_failures=1)
async def dies_in_process(gate: str) -> None:
    log.warning("the last words")
    while not Path(gate).exists():
        await asyncio.sleep(0.01)
    os._exit(3)
