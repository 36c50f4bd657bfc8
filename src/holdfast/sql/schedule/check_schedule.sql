-- new -> active | invalid: stores the first slot of a schedule, or why it has none. An active one may become invalid.
-- counts_from is what due_schedules returned: after another change of the schedule nothing is stored. Returns whether
-- it was.
create or replace function holdfast.check_schedule(
  schedule text, counts_from timestamptz, first_slot timestamptz, problem text default null
)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
begin
  if (first_slot is null) = (problem is null) or first_slot <= counts_from then
    perform holdfast.refuse('HF002', 'check_schedule needs either a first_slot after counts_from, or a problem.');
  end if;
  update holdfast.schedules as s
  set state = case when problem is null then 'active' else 'invalid' end,
      next_slot = first_slot, retry_at = null, problem = left(holdfast.sanitise_text(problem), 2000)
  where s.name = schedule
    and s.counts_from = check_schedule.counts_from
    and (s.state = 'new' or problem is not null and s.state <> 'invalid');
  return found;
end
$$;
