-- Whether a job's dead letter is open or under investigation. Its cost is that of a comparison: else the planner would
-- not look for old jobs by the index of their end, which lets some others through.
create or replace function holdfast.has_open_letter(job uuid)
returns boolean
language sql stable cost 1
as $$
  select exists (
    select from holdfast.dead_letters as d
    where d.job_id = job
      and d.status in ('open', 'investigating')
      and d.replayed_at is null
  )
$$;
