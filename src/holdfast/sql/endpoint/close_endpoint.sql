-- open | held open -> closed: calls to the endpoint may start again at once.
-- Closes a circuit that tripped by itself, too, and ends a wait that a Retry-After asked for.
create or replace function holdfast.close_endpoint(endpoint text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  e   holdfast.endpoints;
  now double precision;
begin
  update holdfast.endpoints as t set held_open = false where t.name = endpoint returning t.* into e;
  if not found then
    perform holdfast.refuse('HF004', format('There is no endpoint %s.', endpoint),
      'The view holdfast.endpoint_view lists all endpoints.');
  end if;
  now := extract(epoch from holdfast.now());
  if e.circuit <> 'closed' then
    e := holdfast.close_circuit(e, now);
  end if;
  e.blocked_until := least(e.blocked_until, now);
  perform holdfast.save_endpoint(e);
  perform holdfast.record_event('endpoint_close', null, null, null, null, null, null, null, actor,
    holdfast.sanitise_text(reason), jsonb_build_object('endpoint', endpoint));
  perform holdfast.notify_ready(
    array(select distinct l.queue from holdfast.lanes as l where l.endpoint = close_endpoint.endpoint));
end
$$;
