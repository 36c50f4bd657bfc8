-- Sets the endpoint that takes over while another is down; null removes it. A fallback has none itself: no cycles.
create or replace function holdfast.set_fallback(endpoint text, to_endpoint text)
returns void
language plpgsql volatile
as $$
begin
  if to_endpoint is not distinct from (select e.fallback from holdfast.endpoints as e where e.name = endpoint) then
    return;
  elsif to_endpoint is null or to_endpoint = 'none' then
    update holdfast.endpoints as e set fallback = null where e.name = endpoint;
    return;
  elsif to_endpoint = endpoint then
    perform holdfast.refuse('HF002', format('The endpoint %s cannot be its own fallback.', endpoint),
      'Name another endpoint.');
  elsif exists (select from holdfast.endpoints as e where e.name = to_endpoint and e.fallback is not null) then
    perform holdfast.refuse('HF002',
      format('The endpoint %s cannot be a fallback, because it has a fallback itself.', to_endpoint),
      'Choose another endpoint, or remove the fallback of that endpoint first.');
  elsif exists (select from holdfast.endpoints as e where e.fallback = endpoint) then
    perform holdfast.refuse('HF002',
      format('The endpoint %s cannot have a fallback, because it is the fallback of another endpoint.', endpoint),
      'Remove the fallback of that other endpoint first.');
  end if;
  perform holdfast.name_endpoint(to_endpoint);
  update holdfast.endpoints as e set fallback = to_endpoint where e.name = endpoint;
  -- A claim creates no lanes, so every lane of the endpoint gets one for the fallback now.
  perform holdfast.find_lane(l.queue, to_endpoint, l."group", l.task, l.is_capped)
  from (
    select * from holdfast.lanes as t
    where t.endpoint = set_fallback.endpoint and not t.is_suspect
    order by t.queue, t."group", t.task, t.is_capped
  ) as l;
end
$$;
