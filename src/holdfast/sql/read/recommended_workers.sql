-- How many workers a queue needs to start each job within a time, now and some minutes ahead.
create or replace function holdfast.recommended_workers(
  of_queue text, target_latency interval default '30 seconds', ahead interval default '10 minutes', slots integer default null,
  out queue text, out workers integer, out slots_each integer, out rate_per_minute double precision, out forecast_per_minute double precision,
  out seconds_per_job double precision, out ready bigint, out running bigint
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  now_minute constant timestamptz := date_trunc('minute', holdfast.now());
  busy double precision;
begin
  if target_latency < interval '1 second' or ahead not between interval '0' and interval '1 day' or slots < 1 then
    perform holdfast.refuse('HF002', 'Nothing can be recommended for that.', 'Give a target of a second or more, up to a day ahead, and slots of 1 or more.');
  end if;
  queue := of_queue;
  slots_each := coalesce(slots, (
    select round(avg(w.slots)) from holdfast.workers as w
    where of_queue = any (w.queues) and w.state = 'working' and w.isolation <> 'only' and w.lease_until >= holdfast.now()
  ), 1);
  select coalesce(sum(e.jobs), 0) / 10.0 into rate_per_minute
  from holdfast.end_counts as e
  where e.minute >= now_minute - interval '10 minutes' and e.minute < now_minute and e.queue = of_queue;
  forecast_per_minute := coalesce(holdfast.forecast_rate(of_queue, ahead), 0);
  seconds_per_job := extract(epoch from (select r.mean from holdfast.run_times(array[of_queue]) as r));
  select c.ready into ready from holdfast.count_jobs(of_queue) as c;
  running := coalesce((select r.jobs from holdfast.count_running() as r where r.queue = of_queue), 0);
  -- Slots that are busy on average, a quarter more so that waits stay short, and what works off the backlog in time.
  busy := 1.25 * greatest(rate_per_minute, forecast_per_minute) / 60 * coalesce(seconds_per_job, 1)
    + ready * coalesce(seconds_per_job, 1) / extract(epoch from target_latency);
  workers := greatest(ceil(busy / slots_each), (ready + running > 0)::integer)::integer;
end
$$;
comment on function holdfast.recommended_workers(text, interval, interval, integer)
  is 'How many workers a queue needs so that jobs start within a time: from its rate, the rate forecast, the time that jobs take, and what is ready.';
