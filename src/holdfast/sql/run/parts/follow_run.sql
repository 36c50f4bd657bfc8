-- (nothing) -> ready | scheduled: enqueues the on_complete of a run, once per generation of the run.
-- It has the origin and the claimed actor of the run; its login is that of the session that closed the run.
create or replace function holdfast.follow_run(run holdfast.runs)
returns void
language plpgsql volatile
as $$
begin
  perform holdfast.enqueue_jobs(
    array[run.on_complete ->> 'task'],
    array[coalesce(run.on_complete -> 'payload', jsonb_build_object('run', run.id))::json],
    jsonb_strip_nulls(jsonb_build_object('origin', run.origin, 'actor', run.claimed_actor))
      || (run.on_complete - 'task' - 'payload')
      || jsonb_build_object('unique_scope', 'holdfast.on_complete', 'unique_key', run.id || ':' || run.generation,
        'unique_for', 'forever')
  );
exception
  -- A queue's limits may have changed since the run started; one invalid on_complete must not keep other runs open.
  when sqlstate 'HF001' or sqlstate 'HF002' or sqlstate 'HF004' or sqlstate 'HF005' or sqlstate 'HF006' then
    perform holdfast.record_event('on_complete_refused', run => run.id, reason => sqlerrm);
end
$$;
