-- Keeps what is counted of an end that a replay takes out of history: it may not have been counted for good yet.
create or replace function holdfast.keep_replayed_end(past holdfast.history)
returns void
language plpgsql volatile
as $$
begin
  insert into holdfast.replayed_ends (
    id, generation, ended_at, state, queue, task, pipeline, stage, parent_id, worker_id, ready_at, started_at, attempt,
    failures, losses, units, cost, attempts_before, units_before, cost_before, labels
  )
  values (
    past.id, past.generation, past.ended_at, past.state, past.queue, past.task, past.pipeline, past.stage,
    past.parent_id, past.worker_id, past.ready_at, past.started_at, past.attempt, past.failures, past.losses,
    past.units, past.cost, past.attempts_before, past.units_before, past.cost_before, past.labels
  );
end
$$;
