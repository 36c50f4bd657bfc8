"""What must hold when all is healed: one end for each accepted job, one effect for each completed one."""

from dataclasses import dataclass

from holdfast.cli.chaos.producer import Ledger
from holdfast.db.connect import Database

ENDS = (
    "select id, count(*) as ends, min(state) as state from holdfast.history where queue = 'chaos' group by id"
)
LIVE = "select count(*) as jobs from holdfast.jobs"
KEYS = "select key, job_id from holdfast.unique_keys where scope = 'chaos'"
EFFECTS = """
select
  count(*) filter (where made.effects > 1) as doubled,
  count(*) filter (where made.effects is null and h.state = 'completed') as missing,
  count(*) filter (where made.effects is not null and h.state is distinct from 'completed') as stray
from (select id, state from holdfast.history where task = 'effect') as h
full join (select job, count(*) as effects from public.chaos_effects group by job) as made on made.job = h.id
"""
COUNTS = """
select coalesce(sum(losses), 0) as losses, coalesce(sum(failures), 0) as failures,
  coalesce(sum(deferrals), 0) as deferrals, count(*) filter (where state = 'dead') as dead
from holdfast.history
"""
UNSOUND = """
select
  (select count(*) from holdfast.jobs as j join holdfast.history as h on h.id = j.id)
  + (select count(*) from holdfast.jobs where (state = 'running') <> (token is not null))
  + (select count(*) from holdfast.order_keys as k
      where not exists (select from holdfast.jobs as j where j.id = k.head))
  + (select count(*) from holdfast.history as h
      where h.state = 'dead' and not exists (
        select from holdfast.dead_letters as d where d.job_id = h.id and d.replayed_at is null)) as rows
"""


@dataclass(frozen=True, slots=True)
class Report:
    accepted: int
    lost: int
    duplicated: int
    effects_wrong: int
    unsound: int
    live: int
    dead: int
    losses: int
    failures: int
    deferrals: int
    indeterminate: int

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.duplicated or self.effects_wrong or self.unsound or self.live)


async def check(database: Database, ledger: Ledger) -> Report:
    ends = {row["id"]: row["ends"] for row in await database.fetch(ENDS)}
    keys = {row["key"] for row in await database.fetch(KEYS)}
    known = set(ledger.accepted.values()) | ledger.indeterminate
    effects = (await database.fetch(EFFECTS))[0]
    counts = (await database.fetch(COUNTS))[0]
    return Report(
        accepted=len(ledger.accepted),
        lost=sum(1 for job in ledger.accepted if job not in ends),
        duplicated=sum(count - 1 for count in ends.values()) + len(keys - known),
        effects_wrong=effects["doubled"] + effects["missing"] + effects["stray"],
        unsound=(await database.fetch(UNSOUND))[0]["rows"],
        live=(await database.fetch(LIVE))[0]["jobs"],
        dead=counts["dead"],
        losses=counts["losses"],
        failures=counts["failures"],
        deferrals=counts["deferrals"],
        indeterminate=len(ledger.indeterminate),
    )
