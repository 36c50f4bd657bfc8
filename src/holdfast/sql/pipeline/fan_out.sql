-- running -> waiting: completes a stage of a locked job and makes one child for each of several next stages.
create or replace function holdfast.fan_out(job holdfast.jobs, output json, detail jsonb)
returns void
language plpgsql volatile
as $$
declare
  at     constant timestamptz := holdfast.now();
  run    constant uuid := holdfast.new_id(at);
  input  constant json := coalesce(job.payload, (select p.payload from holdfast.payloads as p where p.job_id = job.id));
  branch record;
  next   holdfast.stages;
begin
  if job.pipeline is null or jsonb_typeof(detail -> 'stages') <> 'array' or jsonb_array_length(detail -> 'stages') = 0 then
    perform holdfast.refuse('HF002', 'stages are not a list, or the job is in no pipeline');
  end if;
  perform holdfast.leave_stage(job, output, detail);
  insert into holdfast.runs (id, name, created_at, parent_id, wait, on_failure)
  values (run, left('stages of ' || job.id, 200), at, job.id, 'all', coalesce(detail ->> 'on_failure', 'fail'));
  for branch in
    select distinct s #>> '{}' as stage from jsonb_array_elements(detail -> 'stages') as s
  loop
    select s.* into next from holdfast.next_stage(job, coalesce(branch.stage, '')) as s;
    perform holdfast.enqueue_jobs(
      array[next.task], array[input],
      jsonb_strip_nulls(holdfast.stage_detail(next) - 'task' || jsonb_build_object(
        'priority', job.priority, 'parent', job.id, 'parent_token', job.token, 'run', run, 'deadline', job.deadline
      )) || case when job.labels is null then '{}' else jsonb_build_object('labels', job.labels) end);
  end loop;
  update holdfast.runs as r set sealed_at = at where r.id = run;
  insert into holdfast.waits (job_id, generation, visit, name, run_id, began_at)
  values (job.id, job.generation, job.visit + 1, 'stages', run, at);
  job.visit := job.visit + 1;
  -- Failures and losses are counted by stage visit.
  job.failures := 0;
  job.losses := 0;
  job.deferrals := 0;
  job.units := coalesce(coalesce(job.units, 0) + holdfast.read_number(detail -> 'units'), job.units);
  perform holdfast.park(job, 'children', null);
end
$$;
comment on function holdfast.fan_out(holdfast.jobs, json, jsonb) is 'Makes one child for each of several next stages; the job waits for them.';
