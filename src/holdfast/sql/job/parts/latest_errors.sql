-- The last five errors of a report, redacted and cut; null if it has none.
create or replace function holdfast.latest_errors(errors jsonb)
returns jsonb
language sql immutable parallel safe
as $$
  select jsonb_agg(
    jsonb_build_object(
      'item', nullif(left(holdfast.sanitise_text(e.one ->> 'item'), 500), ''),
      'error', left(holdfast.sanitise_text(coalesce(e.one ->> 'error', e.one #>> '{}')), 500))
    order by e.place)
  from (
    select u.one, u.place
    from jsonb_array_elements(case jsonb_typeof(errors) when 'array' then errors else '[]' end)
      with ordinality as u (one, place)
    order by u.place desc
    limit 5
  ) as e
$$;
