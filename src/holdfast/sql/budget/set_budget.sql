-- Gives a new run its budget, if one is asked for. Before its first job: jobs of such runs stand in lanes of their own.
create or replace function holdfast.set_budget(run uuid, options jsonb)
returns void
language plpgsql volatile
as $$
declare
  money constant double precision := holdfast.read_money(options -> 'budget');
  units constant double precision := holdfast.read_number(options -> 'max_units');
  time  constant interval := holdfast.read_interval(options -> 'max_time');
begin
  if nullif(options -> 'max_units', 'null') is not null and coalesce(units, -1) < 0 then
    perform holdfast.refuse('HF002', 'The option max_units is out of range.', 'Give the units that the run may use, 0 or more.');
  end if;
  if time <= '0' then
    perform holdfast.refuse('HF002', 'The option max_time is out of range.', 'Give the time that the run may take, more than nothing.');
  end if;
  if money is not null or units is not null or time is not null then
    insert into holdfast.run_budgets (run_id, max_money, max_units, stops_at) values (run, money, units, holdfast.now() + time);
  end if;
end
$$;
comment on function holdfast.set_budget(uuid, jsonb) is 'Gives a new run its budget, if one is asked for.';
