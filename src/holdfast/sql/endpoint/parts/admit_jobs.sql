-- Picks the ready jobs of a lane that may start on its endpoint, or on its fallback, and gives each a permit.
-- A locked endpoint is skipped: a transaction that holds endpoints already could deadlock if it waited for another.
create or replace function holdfast.admit_jobs(
  in_lane integer, in_queue text, in_endpoint text, is_capped boolean, wanted integer, at timestamptz,
  chosen uuid, out ids uuid[], out places integer[], out is_probe boolean, out estimates double precision[],
  out reserved double precision[], out permit_lane integer, out endpoint text, out until timestamptz
)
language plpgsql volatile
as $$
declare
  now     constant double precision := extract(epoch from at);
  e       holdfast.endpoints;
  last    bigint;
  free    record;
  job     record;
  verdict text;
begin
  select '{}', '{}', '{}' into ids, places, estimates;
  endpoint := in_endpoint;
  select t.* into e from holdfast.endpoints as t where t.name = in_endpoint;
  select * into free from holdfast.admission(e, now);
  if free.room <= 0 and e.fallback is not null and holdfast.is_down(e, free.reason) then
    permit_lane := holdfast.fallback_lane(in_lane, e.fallback);
    if permit_lane is not null then
      endpoint := e.fallback;
      select t.* into e from holdfast.endpoints as t where t.name = endpoint;
      select * into free from holdfast.admission(e, now);
    end if;
  end if;
  -- The end of another call cannot be predicted: poll. close_endpoint notifies when a held circuit closes.
  until := coalesce(to_timestamp(free.until), case when not e.held_open then at + interval '500 milliseconds' end);
  -- A refused claim locks nothing.
  if free.room <= 0 then
    return;
  end if;
  select t.* into e from holdfast.endpoints as t where t.name = endpoint for update skip locked;
  if not found then
    until := at + interval '20 milliseconds';
    return;
  end if;
  last := e.second;
  e := holdfast.close_second(e, now);
  is_probe := e.circuit <> 'closed';
  for job in
    select c.*
    from holdfast.admission(e, now) as a
    cross join lateral holdfast.candidates(
      in_lane, at, least(a.room, wanted, holdfast.share_room(e, in_queue)), is_probe, chosen) as c
  loop
    -- Earlier jobs may have used up rates and budgets; permits suffice for all candidates.
    if cardinality(ids) > 0
      and (e.rate is not null or e.units_per_minute is not null or e.budget_per_day is not null) then
      select * into free from holdfast.admission(e, now);
      if free.room <= 0 then
        until := least(until, to_timestamp(free.until));
        exit;
      end if;
    end if;
    job.estimate := coalesce(job.estimate, e.estimate);
    if is_capped then
      verdict := holdfast.afford(job.run_id, coalesce(job.estimate * e.price, 0), coalesce(job.estimate, 0));
      if verdict = 'park' then
        perform holdfast.park_run(job.run_id, in_lane, job.id);
      end if;
      continue when verdict <> 'yes';
      reserved := reserved || coalesce(job.estimate * e.price, 0);
    end if;
    if e.requests_per_minute is not null then
      perform holdfast.record_start(e, now);
    end if;
    e := holdfast.start_call(e, now, job.estimate, is_probe);
    ids := ids || job.id;
    places := places || e.in_flight;
    estimates := estimates || job.estimate;
  end loop;
  if cardinality(ids) > 0 or e.second <> last then
    perform holdfast.save_endpoint(e);
  end if;
end
$$;
