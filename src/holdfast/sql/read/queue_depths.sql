-- Returns how many jobs of each queue are live, by state, for at most max queues in the order of their names.
-- Jobs are counted now, the smallest queues first, until the newest samples say that 100,000 are counted. The rest, and
-- queues with more than 10,000 jobs in a state, show their newest sample: sampled_at is null for what was counted now.
-- Without a sample a state is counted to 10,000.
-- plan: no seqscan
create or replace function holdfast.queue_depths(max integer default 1000)
returns table (
  queue text, is_paused boolean, waiting bigint, scheduled bigint, ready bigint, running bigint,
  oldest_ready timestamptz, sampled_at timestamptz
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_count('max', max);
  return query
    with known as materialized (
      select
        q.name, q.paused_at is not null or exists (select from holdfast.full_pause) as is_paused, s as sample,
        coalesce(s.waiting + s.scheduled + s.ready, 0) as jobs,
        coalesce(greatest(s.waiting, s.scheduled, s.ready) > 10000, false) as is_large
      from (select t.name, t.paused_at from holdfast.queues as t order by t.name limit max) as q
      left join lateral holdfast.newest_depth(q.name) as s on s.queue is not null
    ), running as materialized (
      select r.queue, r.jobs from holdfast.count_running() as r
    ), counted as materialized (
      select k.name, c.*, greatest(c.waiting, c.scheduled, c.ready) > 10000 as is_partial
      from (
        select w.name, sum(w.jobs) over (order by w.jobs, w.name) as up_to from known as w where not w.is_large
      ) as k
      cross join lateral holdfast.count_jobs(k.name) as c
      where k.up_to <= 100000
    )
    select
      k.name, k.is_paused,
      case when now.is_now then least(c.waiting, 10000) else (k.sample).waiting end,
      case when now.is_now then least(c.scheduled, 10000) else (k.sample).scheduled end,
      case when now.is_now then least(c.ready, 10000) else (k.sample).ready end,
      case when now.is_now then coalesce(r.jobs, 0) else (k.sample).running end,
      case when now.is_now then c.oldest_ready else (k.sample).oldest_ready end,
      case when not now.is_now then (k.sample).sampled_at end
    from known as k
    left join counted as c on c.name = k.name
    left join running as r on r.queue = k.name
    cross join lateral (
      select c.name is not null and (not c.is_partial or (k.sample).queue is null) as is_now
    ) as now
    order by k.name;
end
$$;
