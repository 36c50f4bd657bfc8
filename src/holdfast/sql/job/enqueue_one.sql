-- (nothing) -> ready | scheduled | waiting: stores one job as enqueue_jobs does, with the same options.
-- It is the fastest way to store a single job. created is false if a unique key returned an earlier job.
-- route: the queue of the job if a rule chose it, else null.
-- plan: no seqscan, generic
create or replace function holdfast.enqueue_one(
  task text, payload json, options jsonb default '{}', out job_id uuid, out created boolean, out route text
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  stored record;
begin
  perform holdfast.check_object('options', options);
  job_id := holdfast.store_one(task, payload, options);
  created := true;
  if job_id is null then
    select s.* into stored
    from holdfast.store_jobs(array[task], array[payload], options, holdfast.read_columns(options, null, null), false)
      as s;
    job_id := stored.ids[1];
    created := stored.made[1] is not false;
    route := stored.routes[1];
  end if;
end
$$;
