"""The worker that this system replaces: it asks for its successor as its last step, and is ended before that.

Simulated on a table of its own; time is counted, not waited for.
"""

from dataclasses import dataclass

from holdfast.db.connect import Database

LIVES = 25.0  # seconds that the platform allows
TAKES = 0.53  # seconds for one item
BATCH = 5

TABLE = """
create table naive_queue (query integer primary key, status text not null default 'pending');
"""
FILL = "insert into naive_queue (query) select generate_series(1, $1::integer)"
CLAIM = """
update naive_queue set status = 'processing'
where query in (select query from naive_queue where status = 'pending' order by query limit $1)
returning query
"""
COMPLETE = "update naive_queue set status = 'completed' where query = $1"
COUNT = """
select
  count(*) filter (where status = 'completed') as completed,
  count(*) filter (where status = 'processing') as stuck,
  count(*) filter (where status = 'pending') as pending
from naive_queue
"""


@dataclass(frozen=True, slots=True)
class NaiveResult:
    completed: int
    stuck: int  # claimed by a worker that is gone: no one looks for them
    pending: int


async def run_naive_worker(database: Database, queries: int) -> NaiveResult:
    await database.execute(TABLE)
    await database.execute(FILL, queries)
    await _live(database)
    (row,) = await database.fetch(COUNT)
    return NaiveResult(row["completed"], row["stuck"], row["pending"])


async def _live(database: Database) -> None:
    age = 0.0
    while batch := await database.fetch(CLAIM, BATCH):
        for row in batch:
            age += TAKES
            if age > LIVES:
                return  # the platform ends the function here; the successor was to be asked for below
            await database.execute(COMPLETE, row["query"])
