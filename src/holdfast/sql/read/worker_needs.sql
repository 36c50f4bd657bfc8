-- Returns how many workers each of these queues needs, as recommended_workers does for one.
create or replace function holdfast.worker_needs(
  queues text[], target_latency interval default '30 seconds', ahead interval default '10 minutes',
  slots integer default null
)
returns table (
  queue text, workers integer, slots_each integer, rate_per_minute double precision,
  forecast_per_minute double precision, seconds_per_job double precision, ready bigint, running bigint,
  sampled_at timestamptz
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  at constant timestamptz := holdfast.now();
begin
  if target_latency < interval '1 second' or ahead not between interval '0' and interval '1 day' or slots < 1 then
    perform holdfast.refuse('HF002',
      format('target_latency, ahead or slots is out of range (got target_latency %s, ahead %s, slots %s).',
        target_latency, ahead, coalesce(slots::text, 'not set')),
      'target_latency must be at least 1 second, ahead at most 1 day, and slots at least 1.');
  end if;
  return query
    with slotted as materialized (
      select u as queue, round(avg(w.slots))::integer as slots
      from holdfast.workers as w
      cross join unnest(w.queues) as u
      where w.state = 'working'
        and w.isolation <> 'only'
        and w.lease_until >= at
      group by u
    ), took as materialized (
      -- The middle of each bucket, in seconds; powers of numeric take a hundred times as long.
      select t.queue, sum(t.jobs * power(10::double precision, (t.tenth + 0.5::double precision) / 10)) / 1000
        / sum(t.jobs)::double precision as mean
      from (
        select c.queue, e.key::integer as tenth, e.value::bigint as jobs
        from holdfast.end_counts as c
        cross join lateral jsonb_each_text(c.run_tens) as e
        where c.minute >= at - interval '1 hour'
          and not c.is_hour
          and c.what = 'end'
          and c.queue = any (queues)
          and c.state in ('completed', 'advanced')
      ) as t
      group by t.queue
    ), busy as materialized (
      select r.queue, r.jobs from holdfast.count_running() as r
    ), known as materialized (
      select
        f.queue, coalesce(worker_needs.slots, s.slots, 1) as slots, f.last, coalesce(f.forecast, 0) as forecast,
        -- Seldom: for a queue with no end in the last hour all its ends are looked at.
        coalesce(t.mean, extract(epoch from (
          select r.mean from holdfast.run_times(array[f.queue]) as r
          where t.queue is null and c.ready + coalesce(b.jobs, 0) > 0))) as mean,
        coalesce(d.ready, c.ready) as ready, coalesce(b.jobs, 0) as running, d.sampled_at
      from holdfast.forecast_rates(queues, ahead) as f
      cross join lateral holdfast.count_jobs(f.queue) as c
      left join lateral holdfast.newest_depth(f.queue) as d on c.ready > 10000 and d.ready >= c.ready
      left join slotted as s on s.queue = f.queue
      left join took as t on t.queue = f.queue
      left join busy as b on b.queue = f.queue
    )
    select
      k.queue,
      -- Slots that are busy on average plus a quarter, so that waits stay short, plus what works off the backlog in
      -- time; no more than may run at once.
      greatest((k.running > 0)::integer, least(
        ceil(c.most::double precision / k.slots), greatest((k.ready + k.running > 0)::integer, ceil(
          (1.25 * greatest(k.last, k.forecast) / 60 * coalesce(k.mean, 1)
            + k.ready * coalesce(k.mean, 1) / extract(epoch from target_latency)) / k.slots))))::integer,
      k.slots, k.last, k.forecast, k.mean::double precision, k.ready, k.running, k.sampled_at
    from known as k
    cross join lateral holdfast.queue_ceiling(k.queue) as c
    join unnest(queues) with ordinality as u (name, place) on u.name = k.queue
    order by u.place;
end
$$;
