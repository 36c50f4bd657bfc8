-- Picks the ready jobs of a lane that may start on its endpoint now, and gives each a permit.
-- An endpoint that another transaction holds is passed over: whoever has waited for endpoints once only skips.
create or replace function holdfast.admit_jobs(
  in_lane integer, in_queue text, endpoint text, wanted integer, at timestamptz,
  out ids uuid[], out places integer[], out is_probe boolean, out estimates double precision[], out until timestamptz
)
language plpgsql volatile
as $$
declare
  now   constant double precision := extract(epoch from at);
  e     holdfast.endpoints;
  free  record;
  job   record;
begin
  ids := '{}';
  places := '{}';
  estimates := '{}';
  if not exists (select from holdfast.jobs as j where j.lane = in_lane and j.state = 'ready') then
    return;
  end if;
  select t.* into e from holdfast.endpoints as t where t.name = endpoint;
  select * into free from holdfast.admission(e, now);
  -- Nobody knows when a call ends elsewhere; whoever closes a held circuit says so.
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
  is_probe := e.circuit <> 'closed';
  for job in
    select c.*
    from holdfast.admission(e, now) as a
    cross join lateral holdfast.candidates(in_lane, at, least(a.room, wanted, holdfast.share_room(e, in_queue)), is_probe) as c
  loop
    select * into free from holdfast.admission(e, now);
    if cardinality(ids) > 0 and free.room <= 0 then
      until := least(until, to_timestamp(free.until));
      exit;
    end if;
    job.estimate := coalesce(job.estimate, e.estimate);
    if e.requests_per_minute is not null then
      perform holdfast.record_start(e, now);
    end if;
    e := holdfast.start_call(e, now, job.estimate, is_probe);
    ids := ids || job.id;
    places := places || e.in_flight;
    estimates := estimates || job.estimate;
    perform holdfast.record_call(e, now, 'started', null, null);
  end loop;
  if cardinality(ids) > 0 then
    perform holdfast.save_endpoint(e);
  end if;
end
$$;
comment on function holdfast.admit_jobs(integer, text, text, integer, timestamptz) is 'Picks the ready jobs of a lane that may start on its endpoint now, and gives each a permit.';
