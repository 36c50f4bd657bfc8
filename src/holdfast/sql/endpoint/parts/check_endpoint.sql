-- Raises an error if a setting of an endpoint is out of range.
-- Not CHECK constraints: every call writes the row, and PostgreSQL parses each constraint per statement, 6 µs apiece.
create or replace function holdfast.check_endpoint(e holdfast.endpoints)
returns void
language plpgsql immutable
as $$
declare
  wrong constant text := case
    when not e.mode in ('fixed', 'aimd', 'aimd_simple', 'flow') then 'mode must be fixed, aimd, aimd_simple or flow'
    when not (e.min_limit >= 1 and e.max_limit >= e.min_limit and e.max_limit <= 10000)
      then 'min must be at least 1, and max between min and 10000'
    when not (e.trip_failures >= 1 and e.trip_quiet >= 0) then 
      'trip_failures must be at least 1, and trip_quiet 0 or more'
    when not (e.open_first > 0 and e.open_max >= e.open_first and e.open_max < 'infinity')
      then 'open_first must be more than 0, and open_max at least open_first'
    when not e.requests_per_minute between 1 and 100000 then 'requests_per_minute must be between 1 and 100000'
    when not (e.units_per_minute > 0 and e.units_per_minute <= 1e15) then 'units_per_minute must be more than 0'
    when not (e.static_rate > 0 and e.static_rate <= 1e15) then 'static_rate must be more than 0'
    when not (e.budget_per_day between 0 and 1e15 and e.price between 0 and 1e15)
      then 'budget and price must be 0 or more'
    when not e.price between 0 and 1e15 then 'price must be 0 or more'
    when not e.estimate between 0 and 1e15 then 'estimate must be 0 or more'
    when not e.pause between 0 and 86400 then 'pause must be between 0 seconds and 1 day'
  end;
begin
  if wrong is not null then
    perform holdfast.refuse('HF002', format('A setting of the endpoint %s is out of range: %s.', e.name, wrong),
      'Pass another value. Nothing was changed.');
  end if;
end
$$;
