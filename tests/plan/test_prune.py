"""Pruning reads what has become old since it last did, not all that other queues keep for longer."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue
from tests.plan.cost import cost_of

# The jobs of five days, of a queue that keeps them for thirty.
ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority,
  attempt, failures, losses, deferrals, generation, visit, payload
)
select
  gen_random_uuid(), 'completed', now() - i * interval '5 days' / $1::integer, 'default', 'task', 1, 50,
  1, 0, 0, 0, 1, 1, '{}'
from generate_series($1::integer, 1, -1) as i
"""
# Measured 183 and 231, with what else is pruned; 4,000 and 9,000 for the first call, which reads all.
BOUND = 400


@pytest.fixture
def conn(own: Connection) -> Connection:
    return own


@pytest.mark.parametrize("jobs", [40_000, 160_000])
async def test_a_call_does_not_read_what_other_queues_keep_for_longer(conn: Connection, jobs: int) -> None:
    await a_queue(conn, "short", retention="1 hour")
    await conn.execute(ENDED, jobs)
    await conn.execute("vacuum analyze holdfast.history")
    costs = [(await cost_of(conn, "prune_jobs()")).buffers for _ in range(3)]
    assert costs[-1] <= BOUND, costs
