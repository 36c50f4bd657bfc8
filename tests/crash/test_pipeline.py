"""A worker killed between and within the stages of a pipeline: no recorded step is lost or repeated."""

import json
from collections.abc import Callable

import pytest

from tests.crash.processes import WorkerProcess, until
from tests.crash.worker_process import WALK
from tests.crash.world import World

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
COUNT = 10


@pytest.mark.parametrize("point", ["after_step=kill@7", "before_settle=kill@8", "after_settle=kill@8"])
async def test_a_killed_worker_loses_and_repeats_no_recorded_step(
    here: World, database_url: str, start: Start, point: str
) -> None:
    await here.conn.execute("select holdfast.declare_pipeline($1, $2)", WALK.name, json.dumps(WALK.wire()))
    ids = await here.enqueue("walk", *({"n": n} for n in range(COUNT)), pipeline=WALK.name)
    victim = start(database_url, point, slots=1, lease=1)
    assert (await victim.ended())[0] == -9
    start(database_url, slots=4, drain=True)
    await until(here.reaches(completed=COUNT))
    assert await here.violations() == {}
    steps = await here.conn.fetch("select job, stage, count(*) as n from steps group by job, stage")
    assert len(steps) == 3 * COUNT
    assert {row["n"] for row in steps} == {1}
    outputs = await here.conn.fetch(
        "select job_id, stage, visit from holdfast.stage_outputs order by job_id, visit"
    )
    assert [(row["stage"], row["visit"]) for row in outputs] == [("one", 1), ("two", 2), ("three", 3)] * COUNT
    for n, job in enumerate(ids):
        assert (await here.job(job))["output"] == {"before": ["one", "two"], "n": n}
