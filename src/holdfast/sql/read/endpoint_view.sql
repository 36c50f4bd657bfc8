-- Every endpoint with its limits, circuit, rate and budgets.
create or replace view holdfast.endpoint_view as
select
  e.name, e.mode,
  case when e.held_open then 'held_open' else e.circuit end as circuit,
  floor(e.limit)::integer as "limit", e.in_flight, e.min_limit as min, e.max_limit as max,
  e.requests_per_minute, e.units_per_minute, e.budget_per_day, e.price, e.estimate, e.shares, e.static_rate,
  e.rate * 60 as units_per_minute_now,
  case when e.spent_day = (holdfast.now() at time zone 'UTC')::date then e.spent else 0 end as spent_today,
  e.reserved,
  case
    when e.blocked_until > extract(epoch from holdfast.now()) then to_timestamp(e.blocked_until)
  end as blocked_until,
  case when e.circuit = 'open' then to_timestamp(e.open_until) end as open_until,
  e.streak, e.starts,
  to_timestamp(e.last_ok) as last_ok,
  to_timestamp(e.last_cut) as last_cut,
  e.tolerance, exp(e.recent - e.base) as slowdown,
  e.fallback, e.pause
from holdfast.endpoints as e;
