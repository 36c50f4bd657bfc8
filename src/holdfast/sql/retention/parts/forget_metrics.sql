-- Deletes metrics that were not reported for as long as figures of each minute are kept, and values that are older.
create or replace function holdfast.forget_metrics()
returns void
language sql volatile
as $$
  delete from holdfast.reported_metrics as m
  where m.reported_at < holdfast.now() - (select s.keep_minutes from holdfast.statistics_settings as s);
  delete from holdfast.reported_values as v
  where (v.name, v.minute, v.labels) in (
    select o.name, o.minute, o.labels
    from holdfast.reported_values as o
    where o.minute < holdfast.now() - (select s.keep_minutes from holdfast.statistics_settings as s)
    order by o.minute
    limit 10000);
$$;
