-- Writes the claims of jobs into the limits of their queue and task, which the caller holds.
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
  -- Also where there is no rate: whoever counted with an old snapshot then fails instead of starting one too many.
  update holdfast.limits as l
  set starts = l.starts + n
  from unnest(array['queue', 'task'], array[of_queue, of_task]) as w (kind, name)
  where l.kind = w.kind and l.name = w.name;
end
$$;
comment on function holdfast.count_starts(text, text, integer, timestamptz) is 'Writes the claims of jobs into the limits of their queue and task.';
