-- Records started jobs in the limits of their queue and task, which the caller has locked.
create or replace function holdfast.count_starts(of_queue text, of_task text, n integer, at timestamptz)
returns void
language plpgsql volatile
as $$
begin
  insert into holdfast.limit_starts as s (kind, name, slot, at)
  select l.kind, l.name, (l.starts + i) % l.rate_starts, extract(epoch from at)
  from unnest(array['queue', 'task'], array[of_queue, of_task]) as w (kind, name)
  join holdfast.limits as l on l.kind = w.kind and l.name = w.name and l.rate_starts is not null
  cross join generate_series(0, n - 1) as i
  on conflict (kind, name, slot) do update set at = excluded.at;
  -- Without a rate, too: a caller with an older snapshot gets a serialization error instead of one job too many.
  update holdfast.limits as l
  set starts = l.starts + n
  from unnest(array['queue', 'task'], array[of_queue, of_task]) as w (kind, name)
  where l.kind = w.kind and l.name = w.name;
end
$$;
