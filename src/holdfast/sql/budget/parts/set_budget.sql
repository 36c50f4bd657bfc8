-- Sets the budget of a new run, before its first job: jobs of runs with a budget have lanes of their own.
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
    perform holdfast.refuse('HF002', 'The option max_units must be 0 or more.',
      'Pass how many units the whole run may use.');
  end if;
  if time <= '0' then
    perform holdfast.refuse('HF002', 'The option max_time must be more than 0.',
      'Pass how long the whole run may take.');
  end if;
  if money is not null or units is not null or time is not null then
    insert into holdfast.run_budgets (run_id, max_money, max_units, stops_at)
    values (run, money, units, holdfast.now() + time);
  end if;
end
$$;
