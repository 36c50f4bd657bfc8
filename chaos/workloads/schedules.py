"""Schedules: every slot has one job, and none in between is left out, whichever worker fired it."""

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError
from holdfast.db.connect import Database
from holdfast.db.schedules import list_schedules, pause_schedule, resume_schedule, set_schedule
from holdfast.db.statement import Fetcher

EVERY = 5  # seconds
SELDOM = 0.05  # of the rounds, so that it fires in between
STEADY, PAUSED = "chaos-steady", "chaos-paused"
SETTINGS = {"task": "slotted", "every": EVERY, "missed": "all", "options": {"queue": QUEUE}}
# A replay keeps the id, so that a slot with two ids has been fired twice.
TWICE = """
select unique_key
from (select unique_scope, unique_key, id from holdfast.jobs
  union all select unique_scope, unique_key, id from holdfast.history) as j
where unique_scope = 'holdfast.schedule'
group by unique_key
having count(distinct id) > 1
"""
# Only of the schedule that is never paused: a resume counts its slots anew.
LEFT_OUT = """
with slot as (
  select (labels ->> 'slot')::timestamptz as at
  from holdfast.job_view
  where unique_key is not null and labels ->> 'schedule' = $1
)
select s.at
from (select at, lead(at) over (order by at) as next from (select distinct at from slot) as once) as s
where s.next - s.at <> make_interval(secs => $2)
"""
SILENT = "select name from holdfast.schedules where last_slot is null and name = $1"


class Schedules(Workload):
    name = "schedules"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def slotted() -> None:
            return None

        app.schedule(every=f"{EVERY}s", name=STEADY, missed="all")(slotted.options(queue=QUEUE))

    async def produce(self, producer: Producer) -> None:
        """Now and then an operator pauses or resumes one of them."""
        if producer.rng.random() > SELDOM:
            return
        try:
            await set_schedule(producer.database, PAUSED, SETTINGS, "chaos", "chaos")
            verb = producer.rng.choice([pause_schedule, resume_schedule])
            await verb(producer.database, PAUSED, "chaos", "chaos")
        except HoldfastError:
            return

    async def stop(self, database: Database) -> None:
        """A schedule has no end of its own."""
        for one in await list_schedules(database, 10):
            await pause_schedule(database, one.name, "chaos is over", "chaos")

    async def check(self, database: Fetcher) -> list[str]:
        twice = [f"two jobs of the slot {row['unique_key']}" for row in await database.fetch(TWICE)]
        left_out = [
            f"the slot after {row['at']:%H:%M:%S} of {STEADY} has no job"
            for row in await database.fetch(LEFT_OUT, STEADY, EVERY)
        ]
        silent = [f"{row['name']} has fired no slot" for row in await database.fetch(SILENT, STEADY)]
        return twice + left_out + silent


WORKLOAD = Schedules()
