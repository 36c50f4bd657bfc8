"""Writes down, beside the system under test, when the jobs of a task begin and cease to be held.

By triggers of our own: neither the counters that admit jobs nor the records of their attempts are asked, so
that a wrong one of either is found. An attempt that was released leaves no record, but it is seen here.
"""

from holdfast.db.statement import Fetcher


def watch(task: str) -> str:
    """The tables of a part that wants to be watched."""
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


async def unfit(database: Fetcher, task: str, most: int) -> list[str]:
    """When more than so many were held at once; and what the watch has not seen."""
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
    return found + [f"nobody saw it begin: {row['id']}" for row in unseen]
