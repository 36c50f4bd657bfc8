-- waiting -> ready | completed | dead: continues a locked job when the stages that it fanned out to are done.
create or replace function holdfast.fan_in(job holdfast.jobs, run holdfast.runs)
returns void
language plpgsql volatile
as $$
declare
  at   constant timestamptz := holdfast.now();
  left_behind integer;
  reached text;
  gathered json;
  next holdfast.stages;
begin
  if run.on_failure = 'fail' and run.dead + run.cancelled > 0 then
    perform holdfast.record_attempts(array[job], array['failed'], array['permanent'], array[true],
      array[jsonb_build_object('type', 'ChildFailed', 'message',
        format('%s of the %s stages that it fanned out to did not complete.', run.dead + run.cancelled, run.total))]);
    perform holdfast.dead_letter_jobs(array[job], array['child_failed']);
    return;
  end if;
  with branch as (
    select h.*, s.place, row_number() over (order by s.place) - 1 as n
    from holdfast.history as h
    join holdfast.stages as s on s.pipeline = job.pipeline and s.version = job.pipeline_version and s.stage = h.stage
    where h.run_id = run.id
      and h.ended_at >= run.created_at - interval '1 minute'
  ), kept as (
    insert into holdfast.stage_outputs (
      job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at
    )
    select job.id, job.generation, job.visit + b.n, b.stage, b.output, b.attempt, b.worker_id, b.started_at, b.ended_at
    from branch as b
    where b.state = 'completed'
  )
  select
    count(*),
    (array_agg(b.stage order by b.place desc))[1],
    json_object_agg(b.stage, b.output order by b.place) filter (where b.state = 'completed')
  into left_behind, reached, gathered
  from branch as b;
  job.stage := coalesce(reached, job.stage);
  job.visit := job.visit + left_behind;
  select s.* into next from holdfast.next_stage(job, null) as s;
  if next.stage is null then
    perform holdfast.record_moves(array[job.id], 'children', 'ready');
    update holdfast.jobs as j
    set stage = job.stage, visit = job.visit, waits_for = null, state = 'ready', rank_at = at
    where j.id = job.id;
    perform holdfast.end_jobs(array[job.id], null, 'completed', array[gathered], null);
  else
    -- The branches have counted its visits.
    job.visit := job.visit - 1;
    perform holdfast.enter_stages(array[holdfast.entry_of(job, next, '{}')], 'waiting');
  end if;
exception
  when sqlstate 'HF002' then
    perform holdfast.record_attempts(array[job], array['failed'], array['permanent'], array[true],
      array[jsonb_build_object('type', 'BadAdvance', 'message', 'The next stage is impossible: ' || sqlerrm)]);
    perform holdfast.dead_letter_jobs(array[job], array['permanent']);
end
$$;
