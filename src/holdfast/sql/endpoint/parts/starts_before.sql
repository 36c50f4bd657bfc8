-- How many earlier jobs of its lane would use up endpoint and limits before a job's turn; null if the job could start.
-- Simulates the admission of a claim without starting a call, for the first thousand jobs of the lane.
create or replace function holdfast.starts_before(job holdfast.jobs, at timestamptz)
returns integer
language plpgsql stable
as $$
declare
  now      constant double precision := extract(epoch from at);
  capped   constant boolean := (select l.is_capped from holdfast.lanes as l where l.lane = job.lane);
  e        holdfast.endpoints;
  next     record;
  probing  boolean;
  room     integer;
  seen     integer := 0;
  starts   integer := 0;
  runs     uuid[] := '{}';
  budgets  holdfast.run_budgets[] := '{}';
  b        holdfast.run_budgets;
  i        integer;
  is_paid boolean := true;
begin
  e := holdfast.serving_endpoint(job.lane, at);
  probing := coalesce(e.circuit <> 'closed', false);
  room := holdfast.lane_room(job.lane, 1001, at);
  if e.name is not null then
    room := least(room, holdfast.share_room(e, job.queue), (select a.room from holdfast.admission(e, now) as a));
  end if;
  if room <= 0 or room > 1000 and not capped then
    return null;
  end if;
  for next in select l.* from holdfast.line_of(job.lane, at, 1000, probing) as l loop
    if seen >= room or starts > 0 and e.name is not null
      and (select a.room from holdfast.admission(e, now) as a) <= 0 then
      return seen;
    end if;
    seen := seen + 1;
    next.estimate := coalesce(next.estimate, e.estimate);
    if capped then
      i := coalesce(array_position(runs, next.run_id), cardinality(runs) + 1);
      runs[i] := next.run_id;
      b := coalesce(budgets[i], holdfast.budget_of(next.run_id));
      is_paid := holdfast.budget_verdict(b, coalesce(next.estimate * e.price, 0), coalesce(next.estimate, 0)) = 'yes';
      b.reserved := b.reserved + case when is_paid then coalesce(next.estimate * e.price, 0) else 0 end;
      b.reserved_units := b.reserved_units + case when is_paid then coalesce(next.estimate, 0) else 0 end;
      budgets[i] := b;
    end if;
    if next.id = job.id then
      -- A refusal by its own run's budget is reported by budget_blocker.
      return case when not is_paid and starts > 0 then starts end;
    end if;
    continue when not is_paid;
    if e.name is not null then
      e := holdfast.start_call(e, now, next.estimate, probing);
    end if;
    starts := starts + 1;
  end loop;
  return null;
end
$$;
