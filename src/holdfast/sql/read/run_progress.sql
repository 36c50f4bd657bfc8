-- How far a run has come: counts by state, rate and estimate. States are counted among its 10,000 oldest live jobs.
create or replace function holdfast.run_progress(run uuid)
returns table (
  run uuid, name text, state text, total bigint, waiting bigint, scheduled bigint, ready bigint, running bigint,
  completed bigint, rejected bigint, cancelled bigint, dead bigint, started_at timestamptz, ended_at timestamptz,
  rate_per_minute double precision, eta interval
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with counted as (
    select
      v.*,
      v.completed + v.rejected + v.cancelled + v.dead as done,
      extract(epoch from coalesce(v.ended_at, holdfast.now()) - v.created_at)::double precision as seconds
    from holdfast.run_view as v
    where v.id = run_progress.run
  ), live as (
    select
      count(*) filter (where j.state = 'waiting') as waiting,
      count(*) filter (where j.state = 'scheduled') as scheduled,
      count(*) filter (where j.state = 'ready') as ready,
      count(*) filter (where j.state = 'running') as running
    from (select o.state from holdfast.jobs as o where o.run_id = run_progress.run order by o.id limit 10000) as j
  )
  select
    c.id, c.name, c.state, c.total::bigint, l.waiting, l.scheduled, l.ready, l.running,
    c.completed::bigint, c.rejected::bigint, c.cancelled::bigint, c.dead::bigint, c.created_at, c.ended_at,
    60 * c.done / nullif(c.seconds, 0),
    case when c.ended_at is null and c.done > 0 then make_interval(secs => c.seconds * (c.total - c.done)::double precision / c.done) end
  from counted as c, live as l
$$;
comment on function holdfast.run_progress(uuid) is 'How far a run has come: counts by state (live ones among its 10,000 oldest), rate per minute, and the time it will still take.';
