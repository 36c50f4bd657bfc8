-- Jobs by filter, newest first, paged by id.
create or replace function holdfast.list_jobs(filter jsonb default '{}', before uuid default null, max integer default 100)
returns setof holdfast.job_view
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_filter(filter, array['state', 'queue', 'task', 'run', 'labels']);
  return query
    select v.*
    from holdfast.job_view as v
    where (before is null or v.id < before)
      and (not filter ? 'state' or v.state = filter ->> 'state')
      and (not filter ? 'queue' or v.queue = filter ->> 'queue')
      and (not filter ? 'task' or v.task = filter ->> 'task')
      and (not filter ? 'run' or v.run = (filter ->> 'run')::uuid)
      and (not filter ? 'labels' or v.labels @> (filter -> 'labels'))
    order by v.id desc
    limit least(max, 1000);
end
$$;
comment on function holdfast.list_jobs(jsonb, uuid, integer) is 'Jobs by state, queue, task, run or labels, newest first; give the last id as before for the next page.';
