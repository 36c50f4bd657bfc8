-- Tells the endpoint of a locked job how its call ended, and gives its permit back. False: the failure is not the job's own.
create or replace function holdfast.tell_endpoint(job holdfast.jobs, class text, detail jsonb)
returns boolean
language plpgsql volatile
as $$
declare
  e       holdfast.endpoints;
  before  holdfast.endpoints;
  failed  record;
  counts  boolean := true;
  now     double precision;
  tries   integer;
  most    integer;
  said    constant text := case when class = 'rate_limited' then class else holdfast.evidence_of(class, detail) end;
  u       constant double precision := random();
  units   constant double precision := holdfast.read_number(detail -> 'units');
  started constant double precision := extract(epoch from job.started_at);
  expected constant double precision := coalesce(job.reserved_units, job.estimate);
begin
  select t.* into e
  from holdfast.endpoints as t
  where t.name = (select l.endpoint from holdfast.lanes as l where l.lane = coalesce(job.permit_lane, job.lane))
  for update;
  if not found then
    return true;
  end if;
  now := extract(epoch from holdfast.now());
  e := holdfast.close_second(e, now);
  before := e;
  case said
    when 'rate_limited' then
      e := holdfast.call_limited(e, now, u, started, job.is_probe, expected,
        coalesce(extract(epoch from holdfast.retry_after(detail))::double precision, 1));
    when 'bad' then
      tries := job.failures + job.losses + job.deferrals + 1;
      most := holdfast.max_failures_of(job);
      select * into failed from holdfast.call_failed(e, now, u, started, job.in_flight_at_start, job.is_probe, expected,
        tries, most, case when tries >= 4 * most then holdfast.last_try(job) end);
      e := failed.e;
      counts := failed.counts;
    when 'good' then
      e := holdfast.call_answered(e, now, job.is_probe, expected);
    else
      e := holdfast.call_void(e, job.is_probe, expected);
  end case;
  -- What a worker cannot start at all says nothing of the endpoint.
  if class = 'system' and (detail ? 'traceback' or detail ? 'refused') then
    e := holdfast.pause_calls(e, now, u, detail);
  end if;
  e := holdfast.spend(e, now, units);
  e := holdfast.count_call(e, said, units, null);
  perform holdfast.save_endpoint(e);
  perform holdfast.record_turn(before, e, now);
  return counts;
end
$$;
comment on function holdfast.tell_endpoint(holdfast.jobs, text, jsonb) is 'Tells the endpoint of a locked job how its call ended; false if the failure is not the job''s own.';
