-- Returns how many dead letters of each queue are open, counted to 10,000, for at most max queues.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.open_letters(max integer default 1000)
returns table (queue text, letters bigint)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_count('max', max);
  return query
    with recursive named as (
      -- Only queues that have some, found by leaps through the index.
      (select d.queue as name from holdfast.dead_letters as d
        where d.replayed_at is null and d.status = 'open' order by d.queue limit 1)
      union all
      select (select d.queue from holdfast.dead_letters as d
        where d.replayed_at is null and d.status = 'open' and d.queue > n.name order by d.queue limit 1)
      from named as n
      where n.name is not null
    )
    select n.name, counted.letters
    from (select named.name from named where named.name is not null limit max) as n
    cross join lateral (
      select count(*) as letters
      from (
        select from holdfast.dead_letters as d
        where d.replayed_at is null and d.status = 'open' and d.queue = n.name
        limit 10000
      ) as found
    ) as counted;
end
$$;
