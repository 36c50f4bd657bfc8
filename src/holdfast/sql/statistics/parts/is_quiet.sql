-- Whether nothing happened in a span of time that summarise_minutes would count: one look, instead of one per minute.
-- plan: no seqscan, no sort
create or replace function holdfast.is_quiet(since timestamptz, until timestamptz)
returns boolean
language plpgsql stable
as $$
begin
  return not exists (select from holdfast.countable(since, until));
end
$$;
