-- For a job of a schedule: a remark on the slot that made it.
create or replace function holdfast.slot_remark(job holdfast.jobs)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  select 'schedule',
    format('The schedule %s made it for its slot %s.', job.labels ->> 'schedule', job.labels ->> 'slot'),
    null::timestamptz, false
  where job.unique_scope = 'holdfast.schedule'
$$;
