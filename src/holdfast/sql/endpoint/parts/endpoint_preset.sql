-- Completes settings with those of their preset; given ones win.
create or replace function holdfast.endpoint_preset(settings jsonb)
returns jsonb
language plpgsql immutable
as $$
declare
  preset jsonb := case settings ->> 'preset'
    when 'dev' then '{"min": 1, "max": 3, "start": 1}'
    when 'prod' then '{"min": 1, "max": 10, "start": 1}'
  end;
begin
  perform holdfast.check_object('settings', settings);
  if settings ? 'preset' and preset is null then
    perform holdfast.refuse('HF002', format('preset must be dev or prod (got %s).', settings ->> 'preset'),
      'Pass dev or prod, or leave out preset.');
  end if;
  return coalesce(preset, '{}') || (settings - 'preset');
end
$$;
