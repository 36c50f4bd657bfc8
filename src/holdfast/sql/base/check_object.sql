-- Raises an error for options that are not a JSON object; null means none.
create or replace function holdfast.check_object(name text, given jsonb)
returns void
language plpgsql immutable
as $$
begin
  if jsonb_typeof(given) <> 'object' then
    perform holdfast.refuse('HF002',
      format('%s must be a JSON object (got %s: %s).', name, jsonb_typeof(given), left(given::text, 100)),
      'Pass names and values, such as {"queue": "mail"}, or {} if you need no values.');
  end if;
end
$$;
