-- Compares the audit trail with its seals, day by day; changes nothing.
-- status: intact, broken (problem says how), pruned (its events were deleted because of their age; the seal is still
-- checked), or unsealed (not over, or not sealed yet). With since and until only these days are read. expect is a seal
-- that was kept elsewhere: if no day has it, the last row is broken and has no day.
create or replace function holdfast.verify_events(
  since date default null, until date default null, expect text default null
)
returns table (day date, events bigint, status text, problem text, seal text)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  s      holdfast.event_seals;
  before holdfast.event_seals;
  found_now record;
begin
  for s in
    select t.*
    from holdfast.event_seals as t
    where t.day <= coalesce(until, 'infinity')
      -- The day before is needed to compare the seals.
      and t.day >= coalesce((select max(o.day) from holdfast.event_seals as o where o.day < since), '-infinity')
    order by t.day
  loop
    if s.day >= coalesce(since, '-infinity') then
      problem := holdfast.seal_problem(s, before);
      if s.pruned_at is null and problem is null then
        found_now := holdfast.digest_events(s.after_id, s.through_id, null, ''::bytea);
        problem := case
          when found_now.events <> s.events
            then format('%s events were sealed, %s are there', s.events, found_now.events)
          when encode(found_now.digest, 'hex') <> s.digest then 'events were changed or reordered'
        end;
      end if;
      day := s.day;
      events := s.events;
      seal := s.seal;
      status := case when problem is not null then 'broken' when s.pruned_at is null then 'intact' else 'pruned' end;
      return next;
    end if;
    before := s;
  end loop;
  return query select * from holdfast.unsealed_events(since, until);
  if expect is not null and not exists (select from holdfast.event_seals as o where o.seal = lower(trim(expect))) then
    return query select null::date, null::bigint, 'broken', 'no day has the expected seal', lower(trim(expect));
  end if;
end
$$;
