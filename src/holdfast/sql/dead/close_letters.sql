-- Records how replays of dead letters ended; a completed one is resolved.
create or replace function holdfast.close_letters(ids uuid[], to_state text)
returns void
language sql volatile
as $$
  update holdfast.dead_letters as d
  set outcome = to_state,
      status = case when to_state = 'completed' then 'resolved' else d.status end
  where d.job_id = any (array(
    -- In id order, as triage locks them.
    select l.job_id from holdfast.dead_letters as l
    where l.job_id = any (ids) and l.replayed_at is not null
    order by l.job_id
    for update
  ))
$$;
