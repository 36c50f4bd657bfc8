-- The ids that jobs of a filter's time lie between: ids contain the time of their enqueue.
-- older_than and newer_than are ages, enqueued_before and enqueued_after times.
create or replace function holdfast.id_bounds(filter jsonb, out lowest uuid, out highest uuid)
language sql stable
as $$
  select
    greatest(
      holdfast.id_at(holdfast.now() - holdfast.read_interval(filter -> 'newer_than')),
      holdfast.id_at((filter ->> 'enqueued_after')::timestamptz),
      '00000000-0000-0000-0000-000000000000'),
    least(
      holdfast.id_at(holdfast.now() - holdfast.read_interval(filter -> 'older_than')),
      holdfast.id_at((filter ->> 'enqueued_before')::timestamptz),
      'ffffffff-ffff-ffff-ffff-ffffffffffff')
$$;
