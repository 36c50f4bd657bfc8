-- Deletes the sealed events of the oldest day that is over its time, at most max; returns how many.
-- The seal stays and says pruned from the first batch on; an event records it.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.prune_events(older_than timestamptz, max integer)
returns integer
language plpgsql volatile
as $$
declare
  old     holdfast.event_seals;
  deleted integer;
begin
  -- A day that was begun comes first; the newest one pruned is looked at again, because it may have events left.
  select s.* into old
  from holdfast.event_seals as s
  where s.day >= coalesce((select max(p.day) from holdfast.event_seals as p where p.pruned_at is not null), '-infinity')
    and (s.day + 1)::timestamp at time zone 'UTC' < older_than
    and s.events > 0
    and (s.pruned_at is null or exists (
      select from holdfast.audit_view as e where e.id > s.after_id and e.id <= s.through_id))
  order by s.day
  limit 1
  for update skip locked;
  if not found then
    return 0;
  end if;
  delete from holdfast.events as e
  where e.id in (
    select t.id
    from holdfast.audit_view as t
    where t.id > old.after_id and t.id <= old.through_id
    order by t.id
    limit max
  );
  get diagnostics deleted = row_count;
  if old.pruned_at is null then
    update holdfast.event_seals as s set pruned_at = holdfast.now() where s.day = old.day;
    perform holdfast.record_event('prune_events', reason => 'The events of this day were kept for their time.',
      detail => jsonb_build_object('day', to_char(old.day, 'YYYY-MM-DD'), 'events', old.events, 'seal', old.seal));
  end if;
  return deleted;
end
$$;
