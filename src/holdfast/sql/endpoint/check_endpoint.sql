-- Refuses an endpoint whose settings make no sense.
-- Not by CHECK: every call writes the row, and PostgreSQL reads each constraint anew for each write, 6 µs apiece.
create or replace function holdfast.check_endpoint(e holdfast.endpoints)
returns void
language plpgsql immutable
as $$
declare
  wrong constant text := case
    when not e.mode in ('fixed', 'aimd', 'aimd_simple', 'flow') then 'mode is fixed, aimd, aimd_simple or flow'
    when not (e.min_limit >= 1 and e.max_limit >= e.min_limit and e.max_limit <= 10000) then 'min is at least 1, max at least min and at most 10000'
    when not (e.trip_failures >= 1 and e.trip_quiet >= 0) then 'trip_failures is at least 1 and trip_quiet not negative'
    when not (e.open_first > 0 and e.open_max >= e.open_first and e.open_max < 'infinity') then 'open_first is more than 0 and open_max at least as much'
    when not e.requests_per_minute between 1 and 100000 then 'requests_per_minute is between 1 and 100000'
    when not (e.units_per_minute > 0 and e.units_per_minute <= 1e15) then 'units_per_minute is more than 0'
    when not (e.static_rate > 0 and e.static_rate <= 1e15) then 'static_rate is more than 0'
    when not (e.budget_per_day between 0 and 1e15 and e.price between 0 and 1e15) then 'budget and price are not negative'
    when not e.price between 0 and 1e15 then 'price is not negative'
    when not e.estimate between 0 and 1e15 then 'estimate is not negative'
    when not e.pause between 0 and 86400 then 'pause is between nothing and a day'
  end;
begin
  if wrong is not null then
    perform holdfast.refuse('HF002', format('A setting of endpoint %s is out of range: %s.', e.name, wrong), 'Give another value; nothing was changed.');
  end if;
end
$$;
comment on function holdfast.check_endpoint(holdfast.endpoints) is 'Refuses an endpoint whose settings make no sense.';
