-- Finds jobs that were enqueued or started while a limit of their queue or task was being set.
-- A new limit counts all running jobs until no such job can be left; then it counts marked jobs only, which is
-- cheaper. Returns how many jobs were marked or moved.
create or replace function holdfast.settle_limits()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  l     holdfast.limits;
  total integer := 0;
  found_now integer;
begin
  for l in select t.* from holdfast.limits as t where not t.is_settled for update skip locked loop
    found_now := holdfast.mark_limited(l) + case l.kind when 'task' then holdfast.move_to_own_lanes(l.name) else 0 end;
    total := total + found_now;
    if l.changed_at > holdfast.now() - interval '1 minute' then
      continue;
    elsif l.settles_after is null then
      -- By now a statement that missed the limit has written to jobs.
      update holdfast.limits as t set settles_after = holdfast.job_writers() where t.kind = l.kind and t.name = l.name;
    elsif found_now = 0 and not l.settles_after && holdfast.job_writers() then
      update holdfast.limits as t
      set is_settled = true
      where t.kind = l.kind and t.name = l.name
        and not exists (
          select from holdfast.jobs as j
          where case l.kind when 'queue' then j.queue else j.task end = l.name
            and (j.state = 'running' and j.is_limited is not true
              or l.kind = 'task' and (select n.task from holdfast.lanes as n where n.lane = j.lane) <> l.name)
        );
    end if;
  end loop;
  return total;
end
$$;
