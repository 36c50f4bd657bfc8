-- Returns how many workers a queue needs so that each job starts within target_latency, now and ahead of time.
-- workers covers the larger of the present and the forecast rate with a quarter to spare, plus what works off the
-- backlog in time. The forecast for the time ahead compares today with the last six days. slots is the number of jobs
-- that a worker runs at once; if null, the mean of the live ones. More than 10,000 ready jobs are taken from the newest
-- sample of sample_depths; sampled_at is its time, null if they were counted now. It never recommends more workers
-- than queue_ceiling can use.
create or replace function holdfast.recommended_workers(
  of_queue text, target_latency interval default '30 seconds', ahead interval default '10 minutes',
  slots integer default null, out queue text, out workers integer, out slots_each integer,
  out rate_per_minute double precision, out forecast_per_minute double precision, out seconds_per_job double precision,
  out ready bigint, out running bigint, out sampled_at timestamptz
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select n.* from holdfast.worker_needs(array[of_queue], target_latency, ahead, slots) as n
$$;
