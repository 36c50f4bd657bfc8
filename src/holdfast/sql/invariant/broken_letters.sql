-- Violations of: a job is dead if and only if it has a dead letter that was not replayed.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.broken_letters(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  -- Without sorts the newest letters come from their index, in order.
  select 'dead_without_letter', h.id, format('generation %s: %s', h.generation, h.reason)
  from (
    select e.*
    from holdfast.history as e
    where e.state = 'dead' and e.state <> 'completed'
    order by e.id desc
    limit max) as h
  where not exists (
    select from holdfast.dead_letters as d
    where d.job_id = h.id and d.generation = h.generation and d.replayed_at is null
    offset 0
  )
  union all
  select 'letter_without_dead', d.job_id, format('the job is %s', coalesce(j.state, h.state))
  from (
    select l.*
    from holdfast.dead_letters as l
    where l.replayed_at is null
    order by l.died_at desc, l.job_id desc
    limit max) as d
  left join lateral (select t.id, t.state from holdfast.jobs as t where t.id = d.job_id offset 0) as j on true
  left join lateral (select t.state from holdfast.history as t where t.id = d.job_id offset 0) as h on true
  where j.id is not null
    or h.state <> 'dead'
$$;
