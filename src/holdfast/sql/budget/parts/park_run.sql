-- ready -> waiting: parks up to 1000 jobs of a run whose budget is used up, until it is raised.
-- While something is left, only the given job, which needs more than that, is parked: others may still start.
create or replace function holdfast.park_run(run uuid, in_lane integer, job uuid)
returns void
language plpgsql volatile
as $$
declare
  parked uuid[];
begin
  if holdfast.budget_verdict(holdfast.budget_of(run), 0, 0) = 'park' then
    parked := array(
      select j.id
      from holdfast.jobs as j
      where j.lane = in_lane
        and j.state = 'ready'
        and j.run_id = run
      order by j.urgency desc, j.rank_at, j.id
      limit 1000
      for update skip locked
    );
  else
    parked := array(
      select j.id from holdfast.jobs as j where j.id = job and j.state = 'ready' for update skip locked
    );
  end if;
  perform holdfast.record_moves(parked, 'budget', 'waiting');
  update holdfast.jobs as j set state = 'waiting', waits_for = 'budget' where j.id = any (parked);
  update holdfast.run_budgets as b set reached_at = holdfast.now() where b.run_id = run and b.reached_at is null;
  if found then
    perform holdfast.record_event('budget_reached', run => run, detail => to_jsonb(b) - array['counted_in', 'run_id'])
    from holdfast.run_budgets as b
    where b.run_id = park_run.run;
  end if;
end
$$;
