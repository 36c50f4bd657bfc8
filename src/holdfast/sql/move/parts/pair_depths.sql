-- The pairs of queues with their sampled depths, the most unequal first, and what a round should do about each.
-- result: move, balanced, shallow (less than least_depth), paused, or not_sampled: there is no sample of the last ten
-- minutes, or none since a round moved jobs of one of the two.
create or replace function holdfast.pair_depths()
returns table (
  from_queue text, to_queue text, from_ready bigint, to_ready bigint, ratio double precision, max_jobs integer,
  condition jsonpath, result text
)
language sql stable
as $$
  select r.from_queue, r.to_queue, d.from_ready, d.to_ready, r.ratio, r.max_jobs, r.condition,
    case
      when exists (select from holdfast.full_pause) or exists (
        select from holdfast.queues as q where q.name in (r.from_queue, r.to_queue) and q.paused_at is not null)
        then 'paused'
      when d.sampled_at is null or d.sampled_at < holdfast.now() - interval '10 minutes' or exists (
        select from holdfast.rebalance_pairs as o
        where (o.from_queue in (r.from_queue, r.to_queue) or o.to_queue in (r.from_queue, r.to_queue))
          and o.moved_at >= d.began_at)
        then 'not_sampled'
      when d.from_ready < r.least_depth then 'shallow'
      when (d.from_ready + 1)::double precision / (d.to_ready + 1) <= r.ratio then 'balanced'
      else 'move'
    end
  from holdfast.rebalance_pairs as r
  cross join lateral (
    select a.sampled_at, a.began_at, coalesce(a.ready, 0) as from_ready, coalesce(b.ready, 0) as to_ready
    from holdfast.newest_depth(r.from_queue) as a
    cross join holdfast.newest_depth(r.to_queue) as b
  ) as d
  order by (d.from_ready + 1)::double precision / (d.to_ready + 1) desc, r.from_queue, r.to_queue
$$;
