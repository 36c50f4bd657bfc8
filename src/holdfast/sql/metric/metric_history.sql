-- Returns the values of a figure from outside since then, the oldest first: the last one of each minute.
-- name is that of report_metric. Returns at most max rows.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.metric_history(name text, since interval default '1 hour',
  max integer default 10000)
returns table (minute timestamptz, labels jsonb, value double precision)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_count('max', max);
  return query
    select v.minute, v.labels, v.value
    from holdfast.reported_values as v
    where v.name = metric_history.name and v.minute >= date_trunc('minute', holdfast.now() - since)
    order by v.minute, v.labels
    limit max;
end
$$;
