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
  left_stage holdfast.stage_entry;
  next   holdfast.stages;
begin
  if job.pipeline is null or jsonb_typeof(detail -> 'stages') <> 'array'
    or jsonb_array_length(detail -> 'stages') = 0 then
    perform holdfast.refuse('HF002', 'several next stages need a job in a pipeline, and a list of at least one stage');
  end if;
  left_stage.job_id := job.id;
  left_stage.units := holdfast.read_number(detail -> 'units');
  perform holdfast.leave_stages(array[left_stage], array[job.id], array[output]);
  insert into holdfast.runs (id, name, created_at, parent_id, wait, on_failure, login_id, origin, claimed_actor)
  values (run, left('stages of ' || job.id, 200), at, job.id, 'all', coalesce(detail ->> 'on_failure', 'fail'),
    holdfast.find_login(), job.origin, job.claimed_actor);
  for branch in
    select distinct s #>> '{}' as stage from jsonb_array_elements(detail -> 'stages') as s
  loop
    select s.* into next from holdfast.next_stage(job, coalesce(branch.stage, '')) as s;
    perform holdfast.enqueue_jobs(
      array[next.task], array[input],
      jsonb_strip_nulls(holdfast.stage_detail(next) - 'task' || jsonb_build_object(
        'priority', job.priority, 'parent', job.id, 'parent_token', job.token, 'run', run, 'deadline', job.deadline,
        'rules', false
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
  job.cost := holdfast.cost_after(job, left_stage.units, true);
  job.units := coalesce(coalesce(job.units, 0) + left_stage.units, job.units);
  job.units_before := job.units;
  job.cost_before := job.cost;
  job.attempts_before := job.attempt;
  perform holdfast.park(job, 'children', null);
end
$$;
