-- Whether nothing happened in a span of time that summarise_minutes would count: one look, instead of one per minute.
-- plan: no seqscan, no sort
create or replace function holdfast.is_quiet(since timestamptz, until timestamptz)
returns boolean
language plpgsql stable
as $$
begin
  return not (
    exists (select from holdfast.jobs as j where j.id >= holdfast.id_at(since) and j.id < holdfast.id_at(until))
    or exists (select from holdfast.history as h where h.id >= holdfast.id_at(since) and h.id < holdfast.id_at(until))
    or exists (select from holdfast.attempts as a where a.ended_at >= since and a.ended_at < until)
    or exists (select from holdfast.calls as c where c.at >= since and c.at < until)
    or exists (select from holdfast.ended_visits(since, until)));
end
$$;
