-- The jobs of a lane in the order of a claim: ready ones, and scheduled ones that it would promote first.
create or replace function holdfast.line_of(in_lane integer, at timestamptz, most integer, probing boolean)
returns table (id uuid, estimate double precision, run_id uuid)
language sql stable
as $$
  with due as materialized (
    select j.*
    from holdfast.jobs as j
    where j.state = 'scheduled'
      and j.due_at <= at
    order by j.due_at
    limit 1000
  ), line as (
    (select j.id, j.estimate, j.run_id, j.failures + j.losses + j.deferrals as tries, j.urgency, j.rank_at
    from holdfast.jobs as j
    where j.lane = in_lane
      and j.state = 'ready'
      and (j.deadline is null or j.deadline > at)
    order by j.urgency desc, j.rank_at, j.id
    limit most)
    union all
    select d.id, d.estimate, d.run_id, d.failures + d.losses + d.deferrals, d.urgency, at - coalesce(d.lead, '0')
    from due as d
    where d.lane = in_lane
      and (d.deadline is null or d.deadline > at)
  ), first as (
    select * from line order by urgency desc, rank_at, id limit case when probing then 100 else most end
  )
  select f.id, f.estimate, f.run_id
  from first as f
  order by case when probing then f.tries else 0 end, f.urgency desc, f.rank_at, f.id
$$;
