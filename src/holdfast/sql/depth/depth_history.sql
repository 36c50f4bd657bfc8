-- Returns the samples of sample_depths since then, the oldest first: the depth of each queue by minute, and later by
-- hour.
-- of_queue: only this queue; null means all. A queue without jobs has one row when it became empty, and no further
-- ones. Returns at most max rows.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.depth_history(since interval default '1 hour', of_queue text default null,
  max integer default 10000)
returns table (queue text, minute timestamptz, waiting bigint, scheduled bigint, ready bigint, running bigint,
  oldest_ready timestamptz, oldest_age interval, began_at timestamptz, sampled_at timestamptz)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_count('max', max);
  if of_queue is not null then
    return query
      select s.queue, s.minute, s.waiting, s.scheduled, s.ready, s.running, s.oldest_ready,
        s.sampled_at - s.oldest_ready, s.began_at, s.sampled_at
      from holdfast.depth_samples as s
      where s.queue = of_queue and s.minute >= date_trunc('minute', holdfast.now() - since)
      order by s.minute
      limit max;
    return;
  end if;
  return query
    select s.queue, s.minute, s.waiting, s.scheduled, s.ready, s.running, s.oldest_ready,
      s.sampled_at - s.oldest_ready, s.began_at, s.sampled_at
    from holdfast.depth_samples as s
    where s.minute >= date_trunc('minute', holdfast.now() - since)
    order by s.minute, s.queue
    limit max;
end
$$;
