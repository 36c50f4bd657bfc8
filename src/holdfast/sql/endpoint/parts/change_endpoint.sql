-- Sets the given keys of an endpoint's settings for declare_endpoint and set_endpoint; returns those that changed.
create or replace function holdfast.change_endpoint(cause text, name text, settings jsonb, reason text, actor text)
returns table (setting text, was jsonb, became jsonb)
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  given   constant jsonb := holdfast.endpoint_preset(settings);
  wrong   text;
  before  jsonb;
begin
  select k into wrong from jsonb_object_keys(given) as k
  where k <> all (array['mode', 'min', 'max', 'start', 'trip_failures', 'trip_quiet', 'open_first', 'open_max',
    'static_rate', 'requests_per_minute', 'units_per_minute', 'budget_per_day', 'price', 'estimate', 'shares',
    'fallback', 'pause']);
  if wrong is not null then
    perform holdfast.refuse('HF002', format('An endpoint has no setting %s.', wrong),
      'Use preset, mode, min, max, start, trip_failures, trip_quiet, open_first, open_max, static_rate,'
      ' requests_per_minute, units_per_minute, budget_per_day, price, estimate, shares, fallback, pause.');
  end if;
  select k into wrong from unnest(array['mode', 'min', 'max', 'start', 'trip_failures', 'trip_quiet', 'open_first',
    'open_max', 'price', 'pause']) as k
  where given -> k = 'null' limit 1;
  if wrong is not null then
    perform holdfast.refuse('HF002', format('The setting %s of an endpoint must not be null.', wrong),
      'Pass a value. To keep the present value, leave out the setting.');
  end if;
  perform holdfast.check_shares(coalesce(nullif(given -> 'shares', 'null'), '{}'));
  perform holdfast.name_endpoint(name);
  perform from holdfast.endpoints as e where e.name = change_endpoint.name for update;
  before := holdfast.endpoint_settings(name);
  perform holdfast.set_fallback(name, given ->> 'fallback') where given ? 'fallback';
  perform holdfast.configure_endpoint(name, given);
  return query
    select *
    from holdfast.record_change(cause, 'endpoint', name, before, holdfast.endpoint_settings(name), reason, actor);
exception
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the endpoint %s is out of range: %s.', name, holdfast.setting_problem(sqlerrm)),
      hint = 'min must be at least 1, and max at least min; rates must be more than 0; budgets, price and estimate must'
        ' be 0 or more; mode must be fixed, aimd, aimd_simple or flow.';
end
$$;
