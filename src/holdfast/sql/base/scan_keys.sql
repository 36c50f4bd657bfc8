-- The first key that JSON text has twice in one object, outer objects first, or null.
create or replace function holdfast.scan_keys(document text)
returns text
language sql immutable parallel safe
as $$
  with recursive part (path, value) as (
    select '$', document::json
    union all
    select part.path || member.step, member.value
    from part
    cross join lateral (
      select '.' || left(e.key, 100), e.value
      from json_each(case json_typeof(part.value) when 'object' then part.value else '{}' end) as e
      union all
      select format('[%s]', a.i - 1), a.value
      from json_array_elements(case json_typeof(part.value) when 'array' then part.value else '[]' end)
        with ordinality as a (value, i)
    ) as member (step, value)
    where json_typeof(member.value) in ('object', 'array')
  )
  select part.path || '.' || left(k, 100) || ' is given twice'
  from part
  cross join lateral json_object_keys(case json_typeof(part.value) when 'object' then part.value else '{}' end) as k
  group by part.path, k
  having count(*) > 1
  order by length(part.path), k
  limit 1
$$;
