-- Returns how many workers a queue needs so that each job starts within target_latency, now and ahead of time.
-- workers covers the larger of the present and the forecast rate with a quarter to spare, plus what works off the
-- backlog in time. The forecast for the time ahead compares today with the last six days. slots is the number of jobs
-- that a worker runs at once; if null, the mean of the live ones.
create or replace function holdfast.recommended_workers(
  of_queue text, target_latency interval default '30 seconds', ahead interval default '10 minutes',
  slots integer default null, out queue text, out workers integer, out slots_each integer,
  out rate_per_minute double precision, out forecast_per_minute double precision, out seconds_per_job double precision,
  out ready bigint, out running bigint
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  now_minute constant timestamptz := date_trunc('minute', holdfast.now());
  busy double precision;
begin
  if target_latency < interval '1 second' or ahead not between interval '0' and interval '1 day' or slots < 1 then
    perform holdfast.refuse('HF002',
      format('target_latency, ahead or slots is out of range (got %s, %s, %s).', target_latency, ahead, slots),
      'target_latency must be at least 1 second, ahead at most 1 day, and slots at least 1.');
  end if;
  queue := of_queue;
  slots_each := coalesce(slots, (
    select round(avg(w.slots)) from holdfast.workers as w
    where of_queue = any (w.queues)
      and w.state = 'working'
      and w.isolation <> 'only'
      and w.lease_until >= holdfast.now()
  ), 1);
  select coalesce(sum(e.jobs), 0) / 10.0 into rate_per_minute
  from holdfast.end_counts as e
  where not e.is_hour
    and e.minute >= now_minute - interval '10 minutes'
    and e.minute < now_minute
    and e.what = 'end'
    and e.queue = of_queue;
  forecast_per_minute := coalesce(holdfast.forecast_rate(of_queue, ahead), 0);
  seconds_per_job := extract(epoch from (select r.mean from holdfast.run_times(array[of_queue]) as r));
  select c.ready into ready from holdfast.count_jobs(of_queue) as c;
  running := coalesce((select r.jobs from holdfast.count_running() as r where r.queue = of_queue), 0);
  -- Slots that are busy on average plus a quarter, so that waits stay short, plus what works off the backlog in time.
  busy := 1.25 * greatest(rate_per_minute, forecast_per_minute) / 60 * coalesce(seconds_per_job, 1)
    + ready * coalesce(seconds_per_job, 1) / extract(epoch from target_latency);
  workers := greatest(ceil(busy / slots_each), (ready + running > 0)::integer)::integer;
end
$$;
