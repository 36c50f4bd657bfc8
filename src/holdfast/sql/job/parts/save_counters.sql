-- Writes the counters that the caller set in locked rows, before they end. Their permits have been given back.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.save_counters(jobs holdfast.jobs[])
returns void
language plpgsql volatile
as $$
declare
  ids constant uuid[] := array(select n.id from unnest(jobs) as n);
begin
  update holdfast.jobs as j
  set failures = n.failures,
      losses = n.losses,
      deferrals = n.deferrals,
      units = n.units,
      cost = n.cost,
      in_flight_at_start = null
  from unnest(jobs) as n
  where j.id = any (ids)
    and j.id = n.id;
end
$$;
