-- A job's entry into a stage: as the stage is declared, with what the detail overrides. Without a stage, the detail.
create or replace function holdfast.entry_of(job holdfast.jobs, next holdfast.stages, detail jsonb)
returns holdfast.stage_entry
language plpgsql volatile
as $$
declare
  entry  holdfast.stage_entry;
  policy holdfast.queues;
  asked  constant jsonb := case
    when next.stage is null then detail
    else holdfast.stage_detail(next) || (detail - 'stage')
  end;
begin
  entry.job_id := job.id;
  entry.visit := job.visit + 1;
  entry.stage := asked ->> 'stage';
  entry.task := coalesce(asked ->> 'task', job.task);
  entry.queue := coalesce(asked ->> 'queue', job.queue);
  entry.timeout := case when asked ? 'timeout' then holdfast.read_interval(asked -> 'timeout') else job.timeout end;
  entry.priority := coalesce(holdfast.read_number(asked -> 'priority'), job.priority);
  entry.delay := make_interval(secs => least(31536000, coalesce(holdfast.read_number(asked -> 'delay'), 0)));
  entry.units := holdfast.read_number(asked -> 'units');
  if entry.priority not between 0 and 100 then
    perform holdfast.refuse('HF002', format('priority must be between 0 and 100 (got %s)', entry.priority));
  end if;
  select q.* into policy from holdfast.queues as q where q.name = entry.queue;
  entry.lane := holdfast.own_lane(
    holdfast.find_lane(entry.queue, coalesce(asked ->> 'endpoint', policy.endpoint), asked ->> 'group'),
    entry.task, job.run_id);
  return entry;
end
$$;
