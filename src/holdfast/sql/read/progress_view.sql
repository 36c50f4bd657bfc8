-- How far jobs have come, as their handlers reported it.
-- done counts the items that failed, too. rate is items per second since the first report of the attempt; eta is the
-- time left at that rate, while the attempt runs. Both are null until they are known. errors: the latest five.
create or replace view holdfast.progress_view as
select
  p.job_id, p.done, case when p.total < p.done then p.done else p.total end as total, coalesce(p.failed, 0) as failed,
  nullif(p.note, '') as note, nullif(p.item, '') as item, coalesce(p.errors, '[]') as errors, pace.rate,
  case
    when p.total is not null
      and pace.rate is not null
      and exists (select from holdfast.jobs as j where j.id = p.job_id and j.token = p.token)
    then greatest(
      interval '0',
      make_interval(secs => least((p.total - p.done) / pace.rate, 3153600000)) - (holdfast.now() - p.updated_at))
  end as eta,
  p.updated_at
from holdfast.progress as p
cross join lateral (
  select case
    when p.done > p.first_done and p.updated_at > p.first_at
      then (p.done - p.first_done) / extract(epoch from p.updated_at - p.first_at)::double precision
  end as rate
) as pace;
