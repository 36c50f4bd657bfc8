-- closed | half_open -> held open: an operator stops all calls to an endpoint; what runs goes on.
create or replace function holdfast.open_endpoint(endpoint text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  update holdfast.endpoints as e set held_open = true where e.name = endpoint;
  if not found then
    perform holdfast.refuse('HF004', format('There is no endpoint %s.', endpoint), 'Look at holdfast.endpoint_view for the endpoints there are.');
  end if;
  perform holdfast.record_event('endpoint_open', null, null, null, null, null, null, null, actor, holdfast.sanitise_text(reason), jsonb_build_object('endpoint', endpoint));
end
$$;
comment on function holdfast.open_endpoint(text, text, text) is 'Stops all calls to an endpoint until it is closed again by hand.';
