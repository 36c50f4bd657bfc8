-- running -> ready | scheduled | waiting | completed: one locked job goes on. One that names no possible stage is dead.
create or replace function holdfast.advance_job(job holdfast.jobs, output json, detail jsonb)
returns void
language plpgsql volatile
as $$
declare
  next holdfast.stages;
begin
  perform holdfast.check_option(detail);
  if detail ? 'stages' then
    perform holdfast.fan_out(job, output, detail);
    return;
  end if;
  if job.pipeline is not null then
    select s.* into next from holdfast.next_stage(job, detail ->> 'stage') as s;
  elsif detail ? 'stage' and holdfast.is_branch(job) then
    perform holdfast.refuse('HF002', 'it is a branch, which ends with its stage');
  end if;
  if next.stage is null and (job.pipeline is not null or detail - 'units' = '{}') then
    perform holdfast.complete_jobs(array[job.id], array[job.token], array[output], array[detail]);
    return;
  end if;
  perform holdfast.leave_stage(job, output, detail);
  if next.stage is not null then
    detail := holdfast.stage_detail(next) || (detail - 'stage');
  end if;
  perform holdfast.enter_stage(job, detail, job.visit + 1);
exception
  -- The mistake of one handler must not undo the other ends of the call.
  when sqlstate 'HF001' or sqlstate 'HF002' or check_violation or numeric_value_out_of_range or datetime_field_overflow or interval_field_overflow then
    perform holdfast.fail_job(job, jsonb_build_object(
      'class', 'permanent', 'type', 'BadAdvance', 'message', 'The next stage is impossible: ' || sqlerrm, 'units', detail -> 'units'
    ));
end
$$;
comment on function holdfast.advance_job(holdfast.jobs, json, jsonb) is 'Moves one locked job to its next stage, or buries it if that is impossible.';
