-- Returns the names of the options in each, and raises an error if each does not fit the payloads.
create or replace function holdfast.check_each(tasks text[], payloads json[], each jsonb[])
returns text[]
language plpgsql immutable
as $$
declare
  n     constant integer := cardinality(payloads);
  fault bigint;
begin
  if cardinality(each) <> n then
    perform holdfast.refuse('HF002',
      format('The arrays must have the same length (got %s payloads, %s tasks, and %s elements in "each").',
        n, coalesce(cardinality(tasks), 0), cardinality(each)),
      'Pass one task for all payloads, or one task per payload. Pass "each" as null, or with one element per payload.');
  end if;
  select min(i) into fault
  from unnest(each) with ordinality as e (o, i)
  where jsonb_typeof(o) not in ('object', 'null');
  if fault is not null then
    perform holdfast.refuse('HF002', format('The options at index %s must be a JSON object.', fault - 1),
      'Pass {} if the job needs no options.');
  end if;
  return array(
    select distinct k
    from unnest(each) as o
    cross join lateral jsonb_object_keys(nullif(o, 'null')) as k
  );
end
$$;
