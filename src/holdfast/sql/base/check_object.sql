-- Refuses options that are no JSON object; null stands for none.
create or replace function holdfast.check_object(name text, given jsonb)
returns void
language plpgsql immutable
as $$
begin
  if jsonb_typeof(given) <> 'object' then
    perform holdfast.refuse('HF002', format('%s must be a JSON object (got %s: %s).', name, jsonb_typeof(given), left(given::text, 100)),
      'Give names and values, such as {"queue": "mail"}, or {} for none.');
  end if;
end
$$;
comment on function holdfast.check_object(text, jsonb) is 'Refuses options that are no JSON object.';
