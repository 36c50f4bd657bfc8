-- ended -> (nothing): deletes runs past the longest retention of any queue, and old days of the audit trail.
-- A run goes when none of its jobs is left. A day of the audit trail goes as a whole, after a year at least and only if
-- it is sealed; its seal stays. Metrics of report_metric go when they are no longer reported. Returns counts, at most
-- max of each; events are those of one day.
create or replace function holdfast.prune_records(max integer default 1000)
returns table (runs integer, events integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  present constant timestamptz := holdfast.now();
  longest constant interval := (
    select greatest(max(q.retention), holdfast.history_retention()) from holdfast.queues as q
  );
  old     uuid[];
begin
  perform holdfast.check_count('max', max);
  old := array(
    select r.id
    from holdfast.runs as r
    where r.ended_at < present - longest
      and not exists (select from holdfast.history as h where h.run_id = r.id)
      and not exists (select from holdfast.jobs as j where j.run_id = r.id)
      and not exists (select from holdfast.run_deltas as d where d.run_id = r.id)
    order by r.ended_at
    limit max
    for update skip locked
  );
  delete from holdfast.runs as r where r.id = any (old);
  get diagnostics runs = row_count;
  delete from holdfast.run_budgets as b where b.run_id = any (old);
  delete from holdfast.run_costs as c where c.run_id = any (old);
  -- Only whole days that are sealed; other events of jobs are deleted with their job.
  events := holdfast.prune_events(present - greatest(longest, interval '1 year'), max);
  perform holdfast.forget_metrics();
  return next;
end
$$;
