-- The stage that one locked job enters, as its detail says; is_last if none follows. Fans out if it names several.
-- A stage that is impossible makes the job dead: one handler's mistake must not undo the other ends of the call.
create or replace function holdfast.choose_stage(
  job holdfast.jobs, output json, detail jsonb, out entry holdfast.stage_entry, out is_last boolean
)
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
  elsif detail ? 'stage' and job.stage is not null and exists (
    select from holdfast.runs as r where r.id = job.run_id and r.parent_id = job.parent_id) then
    perform holdfast.refuse('HF002',
      'the job is a branch: one of several stages that run side by side, and it ends after its stage');
  end if;
  is_last := next.stage is null and (job.pipeline is not null or detail - 'units' = '{}');
  if not is_last then
    entry := holdfast.entry_of(job, next, detail);
  end if;
exception
  when sqlstate 'HF001' or sqlstate 'HF002' or check_violation or numeric_value_out_of_range
    or datetime_field_overflow or interval_field_overflow then
    entry := null;
    is_last := false;
    perform holdfast.settle_failures(array[job.id], array[jsonb_build_object(
      'class', 'permanent', 'type', 'BadAdvance', 'message', 'The next stage is impossible: ' || sqlerrm,
      'units', detail -> 'units'
    )]);
end
$$;
