-- The newest sample of a queue, for places where the live count is capped.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.newest_depth(of_queue text)
returns holdfast.depth_samples
language sql stable
as $$
  select s from holdfast.depth_samples as s where s.queue = of_queue order by s.minute desc limit 1
$$;
