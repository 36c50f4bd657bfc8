-- Adds the jobs of a call to their runs: a shared lock, which seal_run waits for, and one delta row per run.
create or replace function holdfast.join_runs(runs uuid[], made boolean[])
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  asked  uuid[];
  joined bigint[];
  held   record;
  fault  uuid;
begin
  select array_agg(run order by run), array_agg(jobs order by run) into asked, joined
  from (
    select run, count(*) as jobs
    from rows from (unnest(runs), unnest(made)) as u (run, is_made)
    where run is not null and is_made is not false
    group by run
  ) as counted;
  select array_agg(r.id) as found, array_agg(r.id) filter (where r.sealed_at is not null) as sealed into held
  from (
    select r.id, r.sealed_at
    from holdfast.runs as r
    where r.id = any (asked)
    order by r.id
    for share
  ) as r;
  if cardinality(held.found) is distinct from cardinality(asked) or held.sealed is not null then
    select a into fault from unnest(asked) as a
    where a <> all (coalesce(held.found, '{}')) or a = any (held.sealed)
    order by a limit 1;
    if fault = any (held.sealed) then
      perform holdfast.refuse('HF005', format('The run %s is sealed, so it accepts no more jobs.', fault),
        'Start another run.');
    end if;
    perform holdfast.refuse('HF004', format('There is no run %s.', fault),
      'Start the run with holdfast.start_run first.');
  end if;
  insert into holdfast.run_deltas (run_id, total)
  select run, jobs from unnest(asked, joined) as u (run, jobs);
end
$$;
