-- Marks running jobs that a limit does not count yet. Locked jobs are skipped: the next call marks them.
create or replace function holdfast.mark_limited(l holdfast.limits)
returns integer
language plpgsql volatile
as $$
declare
  marked integer;
begin
  update holdfast.jobs as j
  set is_limited = true
  where j.id = any (array(
    select f.id
    from holdfast.jobs as f
    where f.state = 'running'
      and f.is_limited is not true
      and case l.kind when 'queue' then f.queue else f.task end = l.name
    for update skip locked
  ));
  get diagnostics marked = row_count;
  return marked;
end
$$;
