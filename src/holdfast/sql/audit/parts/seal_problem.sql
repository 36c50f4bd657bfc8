-- What is wrong with the seal of a day itself, compared with the one before it; null if nothing is.
create or replace function holdfast.seal_problem(s holdfast.event_seals, before holdfast.event_seals)
returns text
language sql stable
as $$
  select case
    when holdfast.seal_of(s) <> s.seal then 'the seal does not fit its own row'
    when before.day is null and (s.previous <> repeat('0', 64) or s.after_id <> 0)
      then 'the seals before it are missing'
    when before.day <> s.day - 1
      then format('the seals after %s are missing', to_char(before.day, 'YYYY-MM-DD'))
    when before.seal <> s.previous or before.through_id <> s.after_id
      then 'the seal of the day before is not the one that it contains'
    -- prune_events writes the time of its own call.
    when s.pruned_at > holdfast.now() then 'it is marked as pruned at a time that is still to come'
    -- Retention is a year at least.
    when s.pruned_at < (s.day + 1)::timestamp at time zone 'UTC' + interval '1 year'
      then 'it is marked as pruned before a year was over'
  end
$$;
