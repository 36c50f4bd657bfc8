-- Describes why an endpoint lets no call start.
create or replace function holdfast.refusal_words(e holdfast.endpoints, reason text)
returns text
language sql stable
as $$
  select format('Endpoint %s: ', e.name) || case reason
    when 'held_open' then 'an operator keeps its circuit open.'
    when 'blocked' then 'it is blocked, by its Retry-After or after failures in a row.'
    when 'circuit_open' then format('its circuit is open after %s failures in a row.', e.streak)
    when 'probing' then format('its circuit is half-open, %s probes are out.', e.probes)
    when 'limit' then format('its limit is reached, %s of %s calls run.', e.in_flight, floor(e.limit))
    when 'share' then format('its free calls are kept for queues with a share: %s.', e.shares)
    when 'rate' then 'its rate is used up for the moment.'
    when 'requests' then format('its %s requests per minute are used up.', e.requests_per_minute)
    when 'units' then format('its %s units per minute are used up.', e.units_per_minute)
    when 'budget' then format('its budget of %s for the day is used up.', e.budget_per_day)
    else reason
  end
$$;
