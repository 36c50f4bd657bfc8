-- A slot as the label of its job has it: 2026-03-29T01:30:00Z.
create or replace function holdfast.slot_words(slot timestamptz)
returns text
language sql stable
as $$
  select to_char(slot at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;
