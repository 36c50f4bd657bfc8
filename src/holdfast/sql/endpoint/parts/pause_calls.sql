-- After a fault of ours nothing starts for a while, so that not all jobs run into it. Recorded once a minute at most.
create or replace function holdfast.pause_calls(
  inout e holdfast.endpoints, now double precision, u double precision, detail jsonb
)
language plpgsql volatile
as $$
begin
  e.blocked_until := greatest(e.blocked_until, now + e.pause * (1 + 0.2 * u));
  if e.refused_at > now - 60 then
    return;
  end if;
  e.refused_at := now;
  update holdfast.endpoints as t set refused_at = now where t.name = e.name;
  perform holdfast.record_event('endpoint_refuses_us', reason => detail ->> 'message',
    detail => jsonb_build_object('endpoint', e.name, 'type', detail ->> 'type', 'blocked_until', e.blocked_until));
end
$$;
