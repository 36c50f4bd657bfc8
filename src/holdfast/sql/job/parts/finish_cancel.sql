-- running -> cancelled: ends locked jobs after a cancel request, with the counters that the caller set in the rows.
create or replace function holdfast.finish_cancel(jobs holdfast.jobs[])
returns void
language plpgsql volatile
as $$
declare
  ids constant uuid[] := array(select n.id from unnest(jobs) as n);
begin
  perform holdfast.save_counters(jobs);
  perform holdfast.end_jobs(
    ids, null, 'cancelled', null, array_fill('asked to cancel while running'::text, array[cardinality(ids)]));
end
$$;
