-- running -> running: records for people how far a job has come.
-- done and total are counts; total, failed and note keep their values if null is given, an empty note removes it.
-- Returns false if the token is outdated: stop working on the job.
create or replace function holdfast.report_progress(
  job uuid, token uuid, done bigint, total bigint default null, failed bigint default 0, note text default null
)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
begin
  if done < 0 or total < 0 or failed < 0 or done is null then
    perform holdfast.refuse('HF002',
      format('done, total and failed must be 0 or more (got %s, %s, %s).', done, total, failed),
      'Pass numbers of items.');
  end if;
  perform from holdfast.jobs as j where j.id = job and j.token = report_progress.token for share;
  if not found then
    return false;
  end if;
  insert into holdfast.progress as p (job_id, done, total, failed, note, updated_at)
  values (job, done, total, coalesce(failed, 0), nullif(left(holdfast.sanitise_text(note), 500), ''), holdfast.now())
  on conflict (job_id) do update
    set done = excluded.done,
        total = coalesce(excluded.total, p.total),
        failed = coalesce(report_progress.failed, p.failed),
        note = case when report_progress.note is null then p.note else excluded.note end,
        updated_at = excluded.updated_at;
  return true;
end
$$;
