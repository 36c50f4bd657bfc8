-- A remark for explain: the last move of a job to another queue; no row if it was never moved.
create or replace function holdfast.move_remark(job uuid)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  select 'moved',
    format('It was moved from queue %s to %s at %s: %s', e.detail ->> 'from_queue', e.detail ->> 'to_queue',
      holdfast.time_words(e.at), e.reason),
    null::timestamptz, false
  from holdfast.events as e
  where e.job_id = job
    and e.cause = 'move'
  order by e.id desc
  limit 1
$$;
