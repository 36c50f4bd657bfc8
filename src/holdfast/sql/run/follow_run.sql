-- (nothing) -> ready | scheduled: enqueues what a run asked for at its end, once per generation of the run.
create or replace function holdfast.follow_run(run holdfast.runs)
returns void
language plpgsql volatile
as $$
begin
  perform holdfast.enqueue_jobs(
    array[run.on_complete ->> 'task'],
    array[coalesce(run.on_complete -> 'payload', jsonb_build_object('run', run.id))::json],
    (run.on_complete - 'task' - 'payload')
      || jsonb_build_object('unique_scope', 'holdfast.on_complete', 'unique_key', run.id || ':' || run.generation, 'unique_for', 'forever')
  );
exception
  -- A queue's limits may have changed since the run was started; one run must not keep the others from ending.
  when sqlstate 'HF001' or sqlstate 'HF002' or sqlstate 'HF004' or sqlstate 'HF005' or sqlstate 'HF006' then
    perform holdfast.record_event('on_complete_refused', run => run.id, reason => sqlerrm);
end
$$;
comment on function holdfast.follow_run(holdfast.runs) is 'Enqueues what a run asked for at its end; a refusal is written to the audit trail.';
