-- Settings with a preset's own put under what is given beside it.
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
    perform holdfast.refuse('HF002', format('There is no preset %s.', settings ->> 'preset'), 'Known are dev and prod.');
  end if;
  return coalesce(preset, '{}') || (settings - 'preset');
end
$$;
comment on function holdfast.endpoint_preset(jsonb) is 'Settings of an endpoint with its preset filled in.';
