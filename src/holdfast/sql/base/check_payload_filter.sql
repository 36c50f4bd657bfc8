-- Raises an error for paths and values of a payload that a filter cannot look for.
create or replace function holdfast.check_payload_filter(wanted jsonb)
returns void
language plpgsql immutable
as $$
declare
  one     record;
  problem text;
begin
  if jsonb_typeof(wanted) <> 'object' then
    problem := 'The payload of a filter must be a JSON object';
  elsif (select count(*) from jsonb_object_keys(wanted)) not between 1 and 10 then
    problem := 'The payload of a filter must have 1 to 10 paths';
  end if;
  for one in
    select w.key as path, string_to_array(w.key, '.') as names, w.value
    from jsonb_each(case when problem is null then wanted else '{}' end) as w
  loop
    problem := case
      when length(one.path) > 500 then format('A path must have at most 500 characters (got %s)', length(one.path))
      when cardinality(one.names) > 64 then format('A path must have at most 64 names (got %s)', cardinality(one.names))
      when one.path = '' or '' = any (one.names) then format('The path "%s" has an empty name', one.path)
      when jsonb_typeof(one.value) in ('object', 'array') then
        format('The value at the path %s must be a string, a number, true, false or null', one.path)
      when length(one.value #>> '{}') > 1000 then
        format('The value at the path %s must have at most 1000 characters', one.path)
    end;
    exit when problem is not null;
  end loop;
  if problem is not null then
    perform holdfast.refuse('HF002', problem || '.',
      'Separate names and list positions with dots, as in {"customer.id": "4711", "items.0.size": 3}.');
  end if;
end
$$;
