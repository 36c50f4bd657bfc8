-- Raises an error for a metric that cannot be reported: its name, value or labels.
create or replace function holdfast.check_metric(name text, value double precision, labels jsonb)
returns void
language plpgsql immutable
as $$
declare
  wrong text;
begin
  if coalesce(name !~ '^[a-zA-Z_:][a-zA-Z0-9_:]*$' or length(name) > 200 or left(name, 9) = 'holdfast_', true) then
    perform holdfast.refuse('HF002', format('The name of a metric is invalid (got %s).', left(name, 200)),
      'Use letters, digits, _ and :, not a digit first, at most 200 characters; names that begin with holdfast_ are'
      ' Holdfast''s own.');
  end if;
  if value is null or value = 'NaN' or abs(value) = 'Infinity' then
    perform holdfast.refuse('HF002', format('value must be a finite number (got %s).', coalesce(value::text, 'null')),
      'Report a metric only when its value is known.');
  end if;
  perform holdfast.check_object('labels', labels);
  select l.key into wrong
  from jsonb_each(labels) as l
  where l.key !~ '^[a-zA-Z_][a-zA-Z0-9_]*$' or left(l.key, 2) = '__' or length(l.key) > 100
    or jsonb_typeof(l.value) <> 'string' or length(l.value #>> '{}') > 200
  limit 1;
  if wrong is not null then
    perform holdfast.refuse('HF002', format('The label %s is invalid.', left(wrong, 100)),
      'A label''s name consists of letters, digits and _, begins with a letter or a single _ and has at most 100'
      ' characters; its value is a string of at most 200 characters.');
  end if;
  -- A set is a key of an index, whose entries are bounded.
  if (select count(*) from jsonb_object_keys(labels)) > 10 or octet_length(labels::text) > 2000 then
    perform holdfast.refuse('HF002', 'A metric can have at most 10 labels, of 2000 bytes in total.',
      'Leave out labels that no query filters by.');
  end if;
end
$$;
