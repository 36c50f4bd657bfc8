-- Whether a payload has all of these values, each at its path: {"customer.id": "4711", "items.0.size": 3}.
-- A text equals a string, and a number, truth value or null as it is written in the payload. A number equals a number
-- of the same value; a truth value or null equals its own kind only.
create or replace function holdfast.has_values(payload json, wanted jsonb)
returns boolean
language sql immutable parallel safe
as $$
  select coalesce(bool_and(coalesce(
    case
      when found.kind in ('object', 'array') then false
      when jsonb_typeof(w.value) = 'string' and found.kind = 'string' then found.value #>> '{}' = w.value #>> '{}'
      when jsonb_typeof(w.value) = 'string' then found.value::text = w.value #>> '{}'
      when found.kind <> jsonb_typeof(w.value) then false
      when found.kind = 'number' then found.value::text::numeric = (w.value)::numeric
      else found.value::text = w.value::text
    end, false)), true)
  from jsonb_each(wanted) as w
  cross join lateral (select payload #> string_to_array(w.key, '.') as value) as at_path
  cross join lateral (select at_path.value, json_typeof(at_path.value) as kind) as found
$$;
