-- Records an event for each trip, close, cut and throttle of an endpoint.
create or replace function holdfast.record_turn(
  before holdfast.endpoints, after holdfast.endpoints, now double precision
)
returns void
language plpgsql volatile
as $$
declare
  turn text := case
    when before.circuit <> 'open' and after.circuit = 'open' then 'trip'
    when before.circuit <> 'closed' and after.circuit = 'closed' then 'close'
    when after.last_rate_cut is distinct from before.last_rate_cut and after.last_rate_cut is not null then 'throttle'
    when after.last_cut > before.last_cut and after.limit < before.limit then 'cut'
  end;
begin
  if turn is not null then
    perform holdfast.record_event('endpoint_' || turn, from_state => before.circuit, to_state => after.circuit,
      detail => jsonb_build_object(
        'endpoint', after.name, 'limit', after.limit, 'limit_before', before.limit, 'streak', before.streak,
        'evidence', before.evidence, 'rate', after.rate, 'blocked_until', after.blocked_until));
  end if;
end
$$;
