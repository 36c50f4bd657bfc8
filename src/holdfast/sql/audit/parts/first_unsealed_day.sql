-- The day to seal next: the one after the newest seal, else that of the first event; null if there is no event.
create or replace function holdfast.first_unsealed_day()
returns date
language sql stable
as $$
  select coalesce(
    (select max(s.day) + 1 from holdfast.event_seals as s),
    (select (e.at at time zone 'UTC')::date from holdfast.audit_view as e order by e.id limit 1))
$$;
