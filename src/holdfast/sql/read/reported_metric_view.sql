-- Figures from outside: the latest value of each name and set of labels, as report_metric stored it.
create or replace view holdfast.reported_metric_view as
select m.name, m.labels, m.value, m.reported_at from holdfast.reported_metrics as m;
