-- Returns how far a run has come: jobs by state, rate, estimated time left, and budget.
-- waiting, scheduled, ready and running are counted among the 10,000 oldest live jobs of the run; the counts of ended
-- jobs are exact. eta is the estimate at the average rate, eta_low and eta_high are the range that should hold nine
-- times in ten. All three are null before the first end, after the last, and while the budget is used up.
-- units and cost are those of stages that jobs left or ended in, with or without a budget. No row if there is no such
-- run.
create or replace function holdfast.run_progress(run uuid)
returns table (
  run uuid, name text, state text, total bigint, waiting bigint, scheduled bigint, ready bigint, running bigint,
  completed bigint, rejected bigint, cancelled bigint, dead bigint, started_at timestamptz, ended_at timestamptz,
  rate_per_minute double precision, eta interval, eta_low interval, eta_high interval,
  budget double precision, spent double precision, reserved double precision,
  max_units double precision, used_units double precision, reserved_units double precision,
  units double precision, cost double precision
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
  ), lately as (
    -- The newest 200 that ended, by their ids.
    select count(*) / nullif(extract(epoch from holdfast.now() - min(n.ended_at)), 0)::double precision as rate
    from (
      select h.ended_at from holdfast.history as h
      where h.run_id = run_progress.run
      order by h.id desc limit 200
    ) as n
  ), pace as (
    select
      c.id,
      -- While the budget is used up there is no estimate.
      c.ended_at is null and c.reached_at is null as goes_on,
      (c.total - c.done)::double precision as ahead,
      c.done / nullif(c.seconds, 0) as rate,
      -- 90 % range: the standard deviation of a count n is about its square root.
      1 + 1.64 / sqrt(nullif(c.done, 0)::double precision) as doubt,
      coalesce(nullif(l.rate, 0), c.done / nullif(c.seconds, 0)) as lately
    from counted as c, lately as l
  ), paid as (
    select b.*
    from holdfast.run_budgets as t
    cross join lateral holdfast.budget_of(t.run_id) as b
    where t.run_id = run_progress.run
  )
  select
    c.id, c.name, c.state, c.total::bigint, l.waiting, l.scheduled, l.ready, l.running,
    c.completed::bigint, c.rejected::bigint, c.cancelled::bigint, c.dead::bigint, c.created_at, c.ended_at,
    60 * c.done / nullif(c.seconds, 0),
    case
      when p.goes_on and c.done > 0
        then make_interval(secs => c.seconds * (c.total - c.done)::double precision / c.done)
    end,
    case when p.goes_on and c.done > 0 then make_interval(secs => p.ahead / greatest(p.rate, p.lately) / p.doubt) end,
    case when p.goes_on and c.done > 0 then make_interval(secs => p.ahead / least(p.rate, p.lately) * p.doubt) end,
    b.max_money, b.spent, b.reserved, b.max_units, b.used, b.reserved_units, c.units, c.cost
  from counted as c
  cross join live as l
  cross join pace as p
  left join paid as b on true
$$;
