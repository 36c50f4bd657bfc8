-- The unique key of a schedule's slot. Its scope is holdfast.schedule.
create or replace function holdfast.slot_key(schedule text, slot timestamptz)
returns text
language sql stable
as $$
  select schedule || ' ' || holdfast.slot_words(slot)
$$;
