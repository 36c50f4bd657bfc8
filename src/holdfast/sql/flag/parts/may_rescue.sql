-- Whether jobs of a queue are taken from lost workers: the flag rescue of the queue, else the one for all.
create or replace function holdfast.may_rescue(of_queue text)
returns boolean
language sql stable
as $$
  select coalesce(
    (select f.value from holdfast.flags as f where f.name = 'rescue' and f.scope = of_queue),
    (select f.value from holdfast.flags as f where f.name = 'rescue' and f.scope = ''),
    'on'
  ) = 'on'
$$;
