-- Deletes metrics that were not reported for as long as figures of each minute are kept; their labels make room.
create or replace function holdfast.forget_metrics()
returns void
language sql volatile
as $$
  delete from holdfast.reported_metrics as m
  where m.reported_at < holdfast.now() - (select s.keep_minutes from holdfast.statistics_settings as s)
$$;
