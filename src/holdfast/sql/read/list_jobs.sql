-- Jobs by filter, newest first, paged by id.
create or replace function holdfast.list_jobs(filter jsonb default '{}', before uuid default null, max integer default 100)
returns setof holdfast.job_view
language plpgsql stable security definer
set search_path = holdfast, pg_temp
-- Each part walks an index of ids from its end and stops when the page is full, whatever the statistics say.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  n    constant integer := least(max, 1000);
  upto constant uuid := coalesce(before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  run  uuid;
  live uuid[];
  past uuid[];
begin
  perform holdfast.check_filter(filter, array['state', 'queue', 'task', 'run', 'labels']);
  run := filter ->> 'run';
  if not filter ? 'run' then
    live := array(
      select j.id from holdfast.jobs as j
      where j.id < upto and holdfast.fits_filter(filter, j.state, j.queue, j.task, j.labels)
      order by j.id desc limit n);
    past := array(
      select h.id from holdfast.history as h
      where h.id < upto and holdfast.fits_filter(filter, h.state, h.queue, h.task, h.labels)
      order by h.id desc limit n);
  else
    live := array(
      select j.id from holdfast.jobs as j
      where j.run_id = run and j.id < upto and holdfast.fits_filter(filter, j.state, j.queue, j.task, j.labels)
      order by j.id desc limit n);
    past := array(
      select h.id from holdfast.history as h
      where h.run_id = run and h.id < upto and holdfast.fits_filter(filter, h.state, h.queue, h.task, h.labels)
      order by h.id desc limit n);
  end if;
  return query
    select v.*
    from holdfast.job_view as v
    where v.id = any (array(select u from unnest(live || past) as u order by u desc limit n))
    order by v.id desc;
end
$$;
comment on function holdfast.list_jobs(jsonb, uuid, integer) is 'Jobs by state, queue, task, run or labels, newest first; give the last id as before for the next page.';
