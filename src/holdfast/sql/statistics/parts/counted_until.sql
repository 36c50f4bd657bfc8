-- Up to when ends are counted for good: what is older may be deleted. Infinity if nothing was ever counted.
create or replace function holdfast.counted_until()
returns timestamptz
language sql stable
as $$
  select coalesce(
    (select (c.counts ->> 'sure')::timestamptz from holdfast.chores as c where c.name = 'summarise_ends'), 'infinity')
$$;
