-- ended -> sealed: starts the dead jobs of a run again, or all of its ended jobs.
-- which: dead or all. At most max per call; with the time of the first call as before, jobs that end again in between
-- are left out. Returns how many were replayed.
create or replace function holdfast.replay_run(
  run uuid, which text default 'dead', reason text default null, actor text default null, max integer default 10000,
  before timestamptz default null
)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  held     holdfast.runs;
  ids      uuid[];
  replayed integer;
begin
  perform holdfast.check_count('max', max);
  if which not in ('dead', 'all') then
    perform holdfast.refuse('HF002', format('The argument "which" must be dead or all (got %s).', which),
      'The default is dead.');
  end if;
  select r.* into held from holdfast.runs as r where r.id = run for update;
  if not found then
    perform holdfast.refuse('HF004', format('There is no run %s.', run),
      'The view holdfast.run_view lists all runs.');
  end if;
  ids := array(
    select h.id from holdfast.history as h
    where h.run_id = run
      and h.ended_at >= held.created_at - interval '1 minute'
      and (which = 'all' or h.state = 'dead')
      and (before is null or h.ended_at < before)
    order by h.id limit max
  );
  select count(*) into replayed from holdfast.replay_jobs(ids, reason, actor) as p where p.result = 'replayed';
  if replayed > 0 then
    update holdfast.runs as r
    set ended_at = null, cancelled_at = null, generation = r.generation + (r.ended_at is not null)::integer
    where r.id = run;
  end if;
  perform holdfast.record_event('replay_run', null, run, null, null, null, null, null, actor, reason,
    jsonb_build_object('which', which, 'jobs', replayed));
  return replayed;
end
$$;
