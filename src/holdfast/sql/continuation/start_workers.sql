-- (nothing) -> asked: requests the first workers of a run, for platforms that start workers by callback.
-- The keys of plan are most (at most so many workers, 5), claim_size (jobs per worker; estimated from recent run times
-- if left out), apart (time between starts, 2 seconds), queues, group, time_box and slots.
-- Returns one body per requested worker, min(most, jobs / claim_size) of them: send each to the service that starts
-- workers. A second call for the same run returns nothing.
create or replace function holdfast.start_workers(run uuid, plan jsonb default '{}')
returns setof jsonb
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  at     constant timestamptz := holdfast.now();
  apart  constant interval := coalesce(holdfast.read_interval(plan -> 'apart'), '2 seconds');
  most   constant integer := coalesce(holdfast.read_number(plan -> 'most'), 5);
  size   integer := holdfast.read_number(plan -> 'claim_size');
  queues text[] := array(select jsonb_array_elements_text(plan -> 'queues'));
  jobs   bigint;
  asked  holdfast.continuations;
begin
  perform holdfast.check_object('plan', plan);
  if exists (
    select from jsonb_object_keys(plan) as k
    where k not in ('most', 'claim_size', 'apart', 'queues', 'group', 'time_box', 'slots'))
    or most not between 1 and 1000 or size < 1 or apart not between interval '0' and interval '1 hour'
  then
    perform holdfast.refuse('HF002', format('The plan %s is invalid.', left(plan::text, 200)),
      'The keys of a plan are most (1 to 1000), claim_size (at least 1), apart (at most 1 hour), queues, group,'
        ' time_box and slots.');
  end if;
  perform from holdfast.runs as r where r.id = run for update;
  if not found then
    perform holdfast.refuse('HF004', format('There is no run %s.', run),
      'The view holdfast.run_view lists all runs.');
  end if;
  if exists (select from holdfast.continuations as c where c.run_id = run and c.cause = 'run') then
    return;
  end if;
  select v.total - v.completed - v.rejected - v.cancelled - v.dead
  into jobs
  from holdfast.run_view as v
  where v.id = run;
  if cardinality(queues) = 0 then
    queues := array(
      select distinct j.queue
      from (select o.queue from holdfast.jobs as o where o.run_id = run limit 10000) as j
      order by 1);
  end if;
  if jobs = 0 or cardinality(queues) = 0 then
    return;
  end if;
  size := coalesce(
    size,
    holdfast.claim_size(
      queues,
      holdfast.read_interval(plan -> 'time_box'),
      coalesce(holdfast.read_number(plan -> 'slots'), 1)::integer
    )
  );
  for asked in
    insert into holdfast.continuations as c (
      id, cause, run_id, "group", queues, link, claim_size, remaining, asked_at, due_at, sent_at, sent
    )
    select
      holdfast.new_id(at), 'run', run, coalesce(plan ->> 'group', ''), queues, i, size, jobs, at, at + i * apart, at, 1
    from generate_series(0, least(most, ceil(jobs / size::numeric))::integer - 1) as i
    returning c.*
  loop
    return next holdfast.continuation_body(asked);
  end loop;
end
$$;
