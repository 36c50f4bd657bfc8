-- Describes what a waiting job waits for: which signal and until when, or how many children are left.
create or replace function holdfast.wait_blockers(held holdfast.jobs)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  select
    'signal',
    format('It waits for the signal %s: holdfast jobs signal %s %s.',
      substr(held.waits_for, 8), held.id, holdfast.shell_word(substr(held.waits_for, 8))),
    held.due_at, true
  where held.waits_for like 'signal:%'
  union all
  select
    'children',
    case
      when v.id is null then 'It waits for children.'
      when live.n = 0 and v.dead > 0 and v.on_failure = 'wait'
        then format('It waits for %s of its %s children that are dead: replay them.', v.dead, v.total)
      when live.n = 0 then 'Its children have ended; the next sweep resumes it.'
      else format('It waits for %s of its %s children%s.', live.n, v.total,
        case v.wait when 'first' then ', the first that completes' end)
    end,
    held.due_at, true
  from (select) as one
  left join lateral (
    select r.id, r.wait, r.on_failure, s.total, s.dead
    from holdfast.waits as w
    join holdfast.runs as r on r.id = w.run_id
    join holdfast.run_view as s on s.id = r.id
    where w.job_id = held.id and w.generation = held.generation and w.visit = held.visit and r.ended_at is null
    order by w.began_at desc
    limit 1
  ) as v on true
  left join lateral (select count(*) as n from holdfast.jobs as j where j.run_id = v.id) as live on true
  where held.waits_for = 'children'
$$;
