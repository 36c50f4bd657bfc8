-- (nothing) -> declared: makes an endpoint if there is none, and sets the given keys of its settings.
-- settings: preset (dev or prod), mode (flow, aimd, aimd_simple or fixed), min, max, start, trip_failures, trip_quiet,
-- open_first, open_max, static_rate, requests_per_minute, units_per_minute, budget_per_day, price, estimate, shares,
-- fallback, pause. Keys that are not given keep their values. docs/flow-control.md explains what they do. Writes an
-- event only if a setting changed.
create or replace function holdfast.declare_endpoint(name text, settings jsonb default '{}')
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.change_endpoint('declare_endpoint', name, settings, null, null);
end
$$;
