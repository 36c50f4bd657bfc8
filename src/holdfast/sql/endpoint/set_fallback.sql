-- Says which endpoint takes the calls of another while that one is down; null: none. One step only, lest calls go in circles.
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
    perform holdfast.refuse('HF002', format('Endpoint %s cannot be its own fallback.', endpoint), 'Name another endpoint.');
  elsif exists (select from holdfast.endpoints as e where e.name = to_endpoint and e.fallback is not null) then
    perform holdfast.refuse('HF002', format('Endpoint %s has a fallback itself.', to_endpoint), 'A fallback has none: name its fallback here, or take that one off first.');
  elsif exists (select from holdfast.endpoints as e where e.fallback = endpoint) then
    perform holdfast.refuse('HF002', format('Endpoint %s is the fallback of another.', endpoint), 'A fallback has none of its own; take it off there first.');
  end if;
  perform holdfast.name_endpoint(to_endpoint);
  update holdfast.endpoints as e set fallback = to_endpoint where e.name = endpoint;
  -- A claim makes no lanes, so each lane that may fall back has one beside it from now on.
  perform holdfast.find_lane(l.queue, to_endpoint, l."group", l.task, l.is_capped)
  from (select * from holdfast.lanes as t where t.endpoint = set_fallback.endpoint and not t.is_suspect order by t.queue, t."group", t.task, t.is_capped) as l;
end
$$;
comment on function holdfast.set_fallback(text, text) is 'Says which endpoint takes the calls of another while that one is down.';
