"""Enqueues nothing and watches the leases: a worker with a valid lease never loses a job."""

from chaos.workload import Producer, Workload
from holdfast import Holdfast
from holdfast.db.statement import Fetcher

# The last renewal before the loss says how long the lease was valid.
TAKEN_TOO_EARLY = """
select a.job_id, a.attempt, a.worker_id, a.ended_at, last.lease_until
from holdfast.attempts as a
cross join lateral (
  select r.lease_until
  from public.chaos_renewals as r
  where r.worker = a.worker_id
    and r.at <= a.ended_at
  order by r.at desc
  limit 1
) as last
where a.outcome in ('lost', 'forgiven')
  and last.lease_until > a.ended_at
"""
UNSEEN = """
select w.id
from holdfast.workers as w
where not exists (select from public.chaos_renewals as r where r.worker = w.id)
"""


class Leases(Workload):
    name = "leases"
    tables = """
    create table public.chaos_renewals (
      worker uuid not null, lease_until timestamptz not null, at timestamptz not null
    );
    create index chaos_renewals_worker on public.chaos_renewals (worker, at);
    create function public.chaos_renew() returns trigger language plpgsql security definer as $$
    begin
      insert into public.chaos_renewals values (new.id, new.lease_until, clock_timestamp());
      return null;
    end
    $$;
    create trigger chaos_renewed after insert or update of lease_until on holdfast.workers
    for each row execute function public.chaos_renew();
    """

    def register(self, app: Holdfast) -> None:
        """No handlers."""

    async def produce(self, producer: Producer) -> None:
        """Nothing."""

    async def check(self, database: Fetcher) -> list[str]:
        taken = [
            f"worker {row['worker_id']} lost {row['job_id']} at {row['ended_at']},"
            f" its lease was valid until {row['lease_until']}"
            for row in await database.fetch(TAKEN_TOO_EARLY)
        ]
        return taken + [
            f"no trigger saw the worker {row['id']} start" for row in await database.fetch(UNSEEN)
        ]


WORKLOAD = Leases()
