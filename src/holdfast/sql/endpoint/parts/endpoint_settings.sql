-- The settings of an endpoint, by the keys of declare_endpoint; start is its limit until the first call.
create or replace function holdfast.endpoint_settings(of_endpoint text)
returns jsonb
language sql volatile
as $$
  select jsonb_build_object(
    'mode', e.mode, 'min', e.min_limit, 'max', e.max_limit, 'start', case when e.starts = 0 then e."limit" end,
    'trip_failures', e.trip_failures, 'trip_quiet', e.trip_quiet, 'open_first', e.open_first, 'open_max', e.open_max,
    'static_rate', e.static_rate, 'requests_per_minute', e.requests_per_minute,
    'units_per_minute', e.units_per_minute, 'budget_per_day', e.budget_per_day, 'price', e.price,
    'estimate', e.estimate, 'shares', e.shares, 'fallback', e.fallback, 'pause', e.pause)
  from holdfast.endpoints as e
  where e.name = of_endpoint
$$;
