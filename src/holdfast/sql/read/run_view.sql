-- Every run with its counts, including those that close_runs has not added up yet.
create or replace view holdfast.run_view as
select
  r.id, r.name,
  case
    when r.ended_at is not null and r.cancelled_at is not null then 'cancelled'
    when r.ended_at is not null then 'ended'
    when r.sealed_at is not null then 'sealed'
    else 'open'
  end as state,
  r.total + coalesce(d.total, 0) as total,
  r.completed + coalesce(d.completed, 0) as completed,
  r.rejected + coalesce(d.rejected, 0) as rejected,
  r.cancelled + coalesce(d.cancelled, 0) as cancelled,
  r.dead + coalesce(d.dead, 0) as dead,
  r.generation, r.labels, r.on_complete, r.created_at, r.sealed_at, r.cancelled_at, r.ended_at,
  b.max_money as budget, b.spent + coalesce(c.money, 0) as spent, b.max_units,
  b.used + coalesce(c.units, 0) as used_units, b.reached_at,
  coalesce(r.origin, 'automatic') as origin, g.login, nullif(g.role, 'none') as role, r.claimed_actor,
  coalesce(coalesce(r.units, 0) + d.units, r.units) as units, coalesce(coalesce(r.cost, 0) + d.cost, r.cost) as cost
from holdfast.runs as r
left join holdfast.logins as g on g.id = r.login_id
left join lateral (
  select sum(total) as total, sum(completed) as completed, sum(rejected) as rejected, sum(cancelled) as cancelled,
    sum(dead) as dead, sum(units) as units, sum(cost) as cost
  from holdfast.run_deltas as x
  where x.run_id = r.id
) as d on true
left join holdfast.run_budgets as b on b.run_id = r.id
left join lateral (
  select sum(money) as money, sum(units) as units from holdfast.run_costs as y where y.run_id = b.run_id
) as c on true;
