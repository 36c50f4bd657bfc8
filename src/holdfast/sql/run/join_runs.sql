-- Adds the jobs of an enqueue to their runs: a shared lock that a seal waits for, and one delta row per run.
create or replace function holdfast.join_runs(made boolean[], options jsonb, each jsonb[], n integer)
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  joined record;
  held   holdfast.runs;
begin
  for joined in
    select run, count(*) as jobs
    from rows from (holdfast.read_options(options, each, n)) with ordinality
    where run is not null
      and coalesce(made[ordinality], true)
    group by run
    order by run
  loop
    select * into held from holdfast.runs as r where r.id = joined.run for share;
    if not found then
      perform holdfast.refuse('HF004', format('There is no run %s.', joined.run), 'Start it with holdfast.start_run first.');
    end if;
    if held.sealed_at is not null then
      perform holdfast.refuse('HF005', format('The run %s is sealed, no job can be added.', joined.run), 'Start another run.');
    end if;
    insert into holdfast.run_deltas (run_id, total) values (joined.run, joined.jobs);
  end loop;
end
$$;
comment on function holdfast.join_runs(boolean[], jsonb, jsonb[], integer) is 'Adds the jobs of an enqueue to their runs.';
