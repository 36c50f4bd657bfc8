-- Sets the given settings of an endpoint, and the state that depends on them.
create or replace function holdfast.configure_endpoint(endpoint text, given jsonb)
returns void
language plpgsql volatile
as $$
declare
  e      holdfast.endpoints;
  before holdfast.endpoints;
begin
  select t.* into before from holdfast.endpoints as t where t.name = endpoint for update;
  update holdfast.endpoints as t
  set mode = coalesce(given ->> 'mode', t.mode),
      min_limit = coalesce((given ->> 'min')::double precision, t.min_limit),
      max_limit = coalesce((given ->> 'max')::double precision, t.max_limit),
      trip_failures = coalesce((given ->> 'trip_failures')::integer, t.trip_failures),
      trip_quiet = coalesce((given ->> 'trip_quiet')::double precision, t.trip_quiet),
      open_first = coalesce((given ->> 'open_first')::double precision, t.open_first),
      open_max = coalesce((given ->> 'open_max')::double precision, t.open_max),
      static_rate = case when given ? 'static_rate' then (given ->> 'static_rate')::double precision
        else t.static_rate end,
      requests_per_minute = case when given ? 'requests_per_minute' then (given ->> 'requests_per_minute')::integer
        else t.requests_per_minute end,
      units_per_minute = case when given ? 'units_per_minute' then (given ->> 'units_per_minute')::double precision
        else t.units_per_minute end,
      budget_per_day = case when given ? 'budget_per_day' then (given ->> 'budget_per_day')::double precision
        else t.budget_per_day end,
      price = coalesce((given ->> 'price')::double precision, t.price),
      -- The units of the second under way are added at the new price: the difference keeps the total as it is.
      totals.cost = (t.totals).cost
        + t.second_units * (t.price - coalesce((given ->> 'price')::double precision, t.price)),
      estimate = case when given ? 'estimate' then (given ->> 'estimate')::double precision else t.estimate end,
      shares = coalesce(nullif(given -> 'shares', 'null'), t.shares),
      pause = coalesce((given ->> 'pause')::double precision, t.pause),
      expires_at = null
  where t.name = endpoint
  returning t.* into e;
  perform holdfast.check_endpoint(e);
  -- A new endpoint starts at 2, or at its preset's start; a fixed one is always at its maximum.
  e.limit := holdfast.clamp_limit(e, case
    when e.mode = 'fixed' then e.max_limit
    when given ? 'start' and e.starts = 0 then (given ->> 'start')::double precision
    else e.limit
  end);
  e.before := holdfast.clamp_limit(e, e.before);
  if given ?| array['max', 'mode', 'start'] and e.starts = 0 then
    e.before := e.limit;
    e.slow_start_until := e.max_limit;
  end if;
  e.open_for := case when e.circuit = 'closed' then e.open_first else least(e.open_for, e.open_max) end;
  if given ? 'static_rate' and e.last_rate_cut is null then
    e.rate := e.static_rate;
    e.peak := coalesce(e.static_rate, 0);
  end if;
  if e.requests_per_minute is distinct from before.requests_per_minute then
    perform holdfast.resize_starts(e);
  end if;
  perform holdfast.save_endpoint(e);
end
$$;
