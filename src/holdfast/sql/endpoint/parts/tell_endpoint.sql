-- Updates the locked endpoint of a locked job after a failed call, and gives the permit back.
-- most: the failures that make the job dead. False: the job is not to blame.
create or replace function holdfast.tell_endpoint(job holdfast.jobs, class text, detail jsonb, most integer)
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
  -- What the call says about the endpoint. Without a word from the worker a transient failure is bad.
  said    constant text := case
    when class = 'rate_limited' then class
    when detail ->> 'evidence' in ('good', 'bad', 'none') then detail ->> 'evidence'
    when class = 'transient' then 'bad'
    else 'none'
  end;
  u       constant double precision := random();
  p       constant holdfast.permit := holdfast.permit_of(job, holdfast.read_number(detail -> 'units'));
begin
  select t.* into e
  from holdfast.endpoints as t
  where t.name = (select l.endpoint from holdfast.lanes as l where l.lane = p.lane);
  if not found then
    return true;
  end if;
  now := extract(epoch from holdfast.now());
  e := holdfast.close_second(e, now);
  before := e;
  case said
    when 'rate_limited' then
      e := holdfast.call_limited(e, now, u, p.started, p.is_probe, p.expected,
        coalesce(extract(epoch from holdfast.reported_wait(detail))::double precision, 1));
    when 'bad' then
      tries := job.failures + job.losses + job.deferrals + 1;
      select * into failed from holdfast.call_failed(e, now, u, p.started, p.place, p.is_probe, p.expected, tries, most,
        case when tries >= 4 * most then holdfast.last_try(job) end);
      e := failed.e;
      counts := failed.counts;
    when 'good' then
      e := holdfast.call_answered(e, now, p.is_probe, p.expected);
    else
      e := holdfast.call_void(e, p.is_probe, p.expected);
  end case;
  -- A task that the worker could not even start says nothing about the endpoint.
  if class = 'system' and (detail ? 'traceback' or detail ? 'refused') then
    e := holdfast.pause_calls(e, now, u, detail);
  end if;
  e := holdfast.spend(e, now, p.used);
  e := holdfast.count_call(e, said, p.used, null);
  perform holdfast.save_endpoint(e);
  perform holdfast.record_turn(before, e, now);
  return counts;
end
$$;
