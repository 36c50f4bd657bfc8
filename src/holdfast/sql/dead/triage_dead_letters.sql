-- open | investigating | resolved | ignored -> as given: sets the status or the assignee of dead letters.
-- null keeps the present value, an empty assignee removes it. Returns the ids of the letters found.
create or replace function holdfast.triage_dead_letters(
  ids uuid[], status text default null, assignee text default null, reason text default null, actor text default null
)
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
begin
  if status not in ('open', 'investigating', 'resolved', 'ignored') then
    perform holdfast.refuse('HF002',
      format('status must be open, investigating, resolved or ignored (got %s).', status),
      'Pass one of these, or null to keep the present status.');
  end if;
  if status is null and assignee is null then
    perform holdfast.refuse('HF002', 'status or assignee must be given.', 'Pass at least one of them.');
  end if;
  return query
    with changed as (
      update holdfast.dead_letters as d
      set status = coalesce(triage_dead_letters.status, d.status),
          assignee = case
            when triage_dead_letters.assignee is null then d.assignee
            else nullif(left(triage_dead_letters.assignee, 200), '')
          end
      where d.job_id = any (array(
        select l.job_id from holdfast.dead_letters as l where l.job_id = any (ids) order by l.job_id for update))
      returning d.job_id, d.queue, d.run_id, d.status, d.assignee
    ), noted as (
      insert into holdfast.events (at, cause, job_id, run_id, queue, actor, reason, detail)
      select holdfast.now(), 'triage', c.job_id, c.run_id, c.queue, actor, holdfast.sanitise_text(reason),
        jsonb_build_object('status', c.status, 'assignee', c.assignee)
      from changed as c
    )
    select c.job_id from changed as c;
end
$$;
