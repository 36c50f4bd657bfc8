-- Deletes the logs of jobs that were pruned.
create or replace function holdfast.forget_logs(ids uuid[])
returns void
language sql volatile
as $$
  with gone as (
    delete from holdfast.attempt_logs as l where l.job_id = any (ids) returning l.size
  )
  insert into holdfast.log_size_changes (bytes)
  select -sum(g.size) from gone as g having count(*) > 0
$$;
