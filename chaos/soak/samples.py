"""What a soak measures: memory, file descriptors, claim times and the size of the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from chaos.soak.claim_times import ClaimTimes
from holdfast.db.connect import Database

# History is meant to grow, so it is counted apart from the tables that must not.
SIZES = """
with relation as (
  select c.relkind as kind, c.relispartition as is_part, pg_relation_size(c.oid) as size
  from pg_class as c
  where c.relnamespace = 'holdfast'::regnamespace
    and c.relkind in ('r', 'i')
)
select
  coalesce(sum(r.size) filter (where r.kind = 'r' and not r.is_part), 0)::bigint as tables,
  coalesce(sum(r.size) filter (where r.kind = 'i' and not r.is_part), 0)::bigint as indexes,
  coalesce(sum(r.size) filter (where r.is_part), 0)::bigint as history,
  (select sum(n_dead_tup) from pg_stat_user_tables where schemaname = 'holdfast')::bigint as dead_tuples,
  (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as wal,
  coalesce((
    select sum(s.n_tup_ins)
    from pg_stat_user_tables as s
    where s.schemaname = 'holdfast' and s.relname like 'history%'
  ), 0)::bigint as jobs
from relation as r
"""
# How long ready jobs waited for their claim, by the database's clock.
PICK_UP = """
select percentile_cont(0.99) within group (order by extract(epoch from h.started_at - h.ready_at))
from holdfast.history as h
where h.ended_at > now() - $1::interval
"""
BACKENDS = "select pid from pg_stat_activity where application_name like 'holdfast worker%'"


@dataclass(frozen=True, slots=True)
class Sample:
    """`at`: seconds since the start. Bytes, or counts; memory and descriptors of the largest process.

    `claim` and `pick_up`: milliseconds, the 99th percentile since the sample before.
    """

    at: float
    memory: int
    server_memory: int
    descriptors: int
    claim: float
    pick_up: float
    tables: int
    indexes: int
    history: int
    dead_tuples: int
    wal: int
    jobs: int


async def sample(
    database: Database, pids: Sequence[int], claim_times: ClaimTimes, at: float, since: timedelta
) -> Sample:
    """`since`: how long ago the sample before was taken."""
    sizes = (await database.fetch(SIZES))[0]
    pick_up = 1000 * float((await database.fetch(PICK_UP, since))[0][0] or 0)
    backends = [row[0] for row in await database.fetch(BACKENDS)]
    return Sample(
        at,
        max(_memory(pid, "VmRSS") for pid in pids),
        max((_memory(pid, "RssAnon") for pid in backends), default=0),
        max(map(_descriptors, pids)),
        1000 * claim_times.p99(),
        pick_up,
        *sizes.values(),
    )


def _memory(pid: int, kind: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(kind))


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
