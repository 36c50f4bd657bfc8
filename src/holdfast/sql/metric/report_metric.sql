-- (any) -> reported: stores a figure from outside, such as the load of a model server.
-- The latest value is kept, and the last one of each minute for 7 days (see metric_history and keep_statistics). name
-- must be a Prometheus name that does not begin with holdfast_; labels is an object of strings. At most 100 label sets
-- are kept per name; one that is not reported for 7 days is deleted.
create or replace function holdfast.report_metric(name text, value double precision, labels jsonb default '{}')
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  most constant integer := 100;
  set_of constant jsonb := coalesce(labels, '{}');
  free smallint;
begin
  perform holdfast.check_metric(name, value, set_of);
  loop
    update holdfast.reported_metrics as m
    set value = report_metric.value, reported_at = holdfast.now()
    where m.name = report_metric.name and m.labels = set_of;
    exit when found;
    -- Any free place, so that two new label sets of open transactions seldom wait for each other.
    free := (
      select p from generate_series(1, most) as p
      where not exists (select from holdfast.reported_metrics as m where m.name = report_metric.name and m.place = p)
      order by random()
      limit 1);
    if free is null then
      perform holdfast.refuse('HF002',
        format('The metric %s already has %s label sets, which is the limit.', name, most),
        'Use fewer values for the metric''s labels, or wait: a label set that is no longer reported is deleted after'
          ' 7 days.');
    end if;
    insert into holdfast.reported_metrics (name, labels, place, value, reported_at)
    values (name, set_of, free, value, holdfast.now())
    on conflict do nothing;
    exit when found;
  end loop;
  insert into holdfast.reported_values as v (name, labels, minute, value)
  values (name, set_of, date_trunc('minute', holdfast.now()), value)
  on conflict on constraint reported_values_pkey do update set value = excluded.value;
end
$$;
