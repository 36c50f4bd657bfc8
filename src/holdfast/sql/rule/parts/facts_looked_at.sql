-- The facts that a condition names, with their values: null for one that is absent, an array for several.
create or replace function holdfast.facts_looked_at(facts jsonb, path jsonpath)
returns jsonb
language sql stable
as $$
  select coalesce(jsonb_object_agg(replace(named, '"', ''), case jsonb_array_length(found)
    when 0 then 'null' when 1 then found -> 0 else found end), '{}')
  from (
    select distinct m[1] as named
    from regexp_matches(path::text, $re$\$(?:\."(?:[^"\\]|\\.)*"|\[\*\]|\[[0-9]+\])+$re$, 'g') as m
  ) as n
  cross join lateral jsonb_path_query_array(facts, named::jsonpath, '{}', silent => true) as found
$$;
