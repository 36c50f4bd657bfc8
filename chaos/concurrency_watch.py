"""Records when each job of a task begins and ceases to be held by a worker.

It uses triggers of its own, neither the counters that admit jobs nor the records of attempts, so that a wrong
one of either is found. An attempt that was released leaves no record, but the triggers see it.
"""

from holdfast.db.statement import Fetcher


def watch_tables(task: str) -> str:
    """The tables and triggers for one task."""
    return f"""
    create table public.chaos_held_{task} (
      job uuid not null, token uuid not null, way integer not null, at timestamptz not null
    );
    create function public.chaos_hold_{task}() returns trigger language plpgsql security definer as $$
    begin
      insert into public.chaos_held_{task}
      select old.id, t.token, t.way, clock_timestamp()
      from (values (old.token, -1), (new.token, 1)) as t (token, way)
      where t.token is not null;
      return null;
    end
    $$;
    create trigger chaos_moved_{task} after update on holdfast.jobs
    for each row when (new.task = '{task}' and new.token is distinct from old.token)
    execute function public.chaos_hold_{task}();
    create trigger chaos_gone_{task} after delete on holdfast.jobs
    for each row when (old.task = '{task}' and old.token is not null)
    execute function public.chaos_hold_{task}();
    """


async def violations_of(database: Fetcher, task: str, most: int) -> list[str]:
    """When more than `most` were held at once; and the jobs that the triggers have not seen."""
    crowded = await database.fetch(
        f"""
        select at, held
        from (select at, sum(way) over (order by at, way) as held from public.chaos_held_{task}) as swept
        where held > $1
        order by at
        limit 5
        """,
        most,
    )
    unseen = await database.fetch(
        f"""
        select h.id
        from holdfast.history as h
        where h.task = $1
          and h.state = 'completed'
          and not exists (
            select from public.chaos_held_{task} as w where w.job = h.id and w.token = h.token and w.way = 1
          )
        """,
        task,
    )
    found = [f"{row['held']} were held at once at {row['at']}, at most {most} may be" for row in crowded]
    return found + [f"no trigger saw it begin: {row['id']}" for row in unseen]
