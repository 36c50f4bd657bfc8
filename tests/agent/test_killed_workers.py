"""Agents that choose their ways while workers are killed: nothing is lost, no recorded call is repeated."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.testing import ModelServer
from tests.agent.pipeline_process import decide, posts
from tests.worker.working import until

ROOT = Path(__file__).parents[2]
POSTS = 40
KILLS = 2  # the third loss of a post at one stage would be its end

RECORDED = """
select job_id, generation, visit, count(*) filter (where finish_reason <> 'error') as n
from holdfast.calls where kind = 'model' group by 1, 2, 3
"""
LOSSES = "select count(*) from holdfast.attempts where outcome in ('lost', 'forgiven')"


@asynccontextmanager
async def worker(database_url: str, server_url: str) -> AsyncIterator[None]:
    """Killed at the end of the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.agent.pipeline_process", server_url),
        cwd=ROOT,
        env={**os.environ, "HOLDFAST_DATABASE_URL": database_url, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
    )
    try:
        yield
    finally:
        process.kill()
        await process.wait()


@pytest.mark.slow
@pytest.mark.alone
async def test_every_post_ends_once_and_no_recorded_call_is_made_again(
    app: Holdfast, database_url: str
) -> None:
    async with ModelServer(base="30ms", noise=0.05, slots=16, seed=3, answer=decide) as server:
        way_in = posts(app, server.url)
        await app.declare()
        handles = await way_in.enqueue_many([way_in.call(number=number) for number in range(POSTS)])
        for kill in range(1, KILLS + 1):
            async with worker(database_url, server.url):
                await until(partial(has_answered, server, kill * POSTS // 2))
        async with worker(database_url, server.url):
            jobs = await until(lambda: all_ended(handles))
        recorded = await app.database.fetch(RECORDED)
        ((losses,),) = await app.database.fetch(LOSSES)
        died = await app.database.fetch("select reason, error_type, message from holdfast.dead_letters")
        marked = await app.jobs(labels={"no_decision": True})
    ends = Counter((job.state.value, job.stage) for job in jobs)
    fifth = POSTS // 5
    assert [dict(row) for row in died] == []
    assert ends == {
        ("completed", "editorial"): 3 * fifth,
        ("completed", "triage"): fifth,
        ("rejected", "triage"): fifth,
    }
    assert len(marked) == fifth
    keys = Counter(tuple(key.split(":")[1:4]) for key in server.ledger.by_key)
    told = {(str(row["job_id"]), str(row["generation"]), str(row["visit"])): row["n"] for row in recorded}
    assert told == keys, "each turn is recorded once, under one key"
    assert losses > 0
    # Only an answer that was on its way when its worker died is asked for again.
    assert sum(count - 1 for count in server.ledger.repeated.values()) <= losses


async def has_answered(server: ModelServer, count: int) -> bool:
    return len(server.ledger) >= count


async def all_ended(handles: list[JobHandle[Any]]) -> Any:
    found = [await handle.job() for handle in handles]
    return found if all(job.is_ended for job in found) else None
