-- closed | half_open -> held open: no call to the endpoint starts until close_endpoint; running calls continue.
create or replace function holdfast.open_endpoint(endpoint text, reason text default null, actor text default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  update holdfast.endpoints as e set held_open = true where e.name = endpoint;
  if not found then
    perform holdfast.refuse('HF004', format('There is no endpoint %s.', endpoint),
      'The view holdfast.endpoint_view lists all endpoints.');
  end if;
  perform holdfast.record_event('endpoint_open', null, null, null, null, null, null, null, actor,
    holdfast.sanitise_text(reason), jsonb_build_object('endpoint', endpoint));
end
$$;
