"""A list of runs reads a bounded number: children make a run for each parent, so there may be millions."""

import json
from typing import Any

from holdfast.db import runs
from holdfast.db.connect import Connection
from holdfast.model.run_progress import RunPhase

MAKE = """
insert into holdfast.runs (id, name, created_at, sealed_at, ended_at)
select holdfast.new_id(now() + i * interval '1 ms'), 'run ' || i, now(), now(), now()
from generate_series(1, 40000) as i
"""
# 10,000 runs, a quarter of all, lie in some 400 pages of the table and its index.
BOUND = 1_000


async def buffers(conn: Connection, query: str, *args: Any) -> int:
    text = await conn.fetchval(f"explain (analyze, buffers, format json) {query}", *args)
    plan = json.loads(text)[0]["Plan"]
    found: int = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return found


async def test_a_look_for_a_rare_run_is_bounded(conn: Connection) -> None:
    await conn.execute(MAKE)
    await conn.execute("analyze holdfast.runs")
    for phase in (None, RunPhase.ENDED):
        state = runs._STATES[phase]
        farthest = runs.FARTHEST.format(state=state)
        assert await buffers(conn, farthest, None, runs.LOOKED_AT) < BOUND
        edge = await conn.fetchval(farthest, None, runs.LOOKED_AT)
        rare = (None, edge, "absent", None, None, None, 26)
        assert await buffers(conn, runs.RUNS.format(state=state), *rare) < BOUND
    no_open = runs.FARTHEST.format(state=runs._STATES[RunPhase.OPEN])
    assert await buffers(conn, no_open, None, runs.LOOKED_AT) < 100, "open runs have an index of their own"
