-- Charges the units that a call used to the budget of the day.
create or replace function holdfast.spend(inout e holdfast.endpoints, now double precision, units double precision)
language plpgsql stable
as $$
declare
  today constant date := (to_timestamp(now) at time zone 'UTC')::date;
begin
  if e.budget_per_day is null and e.price = 0 then
    return;
  end if;
  if e.spent_day is distinct from today then
    e.spent_day := today;
    e.spent := 0;
  end if;
  e.spent := e.spent + coalesce(units, 0) * e.price;
end
$$;
