-- Notes that chores have just succeeded, for whoever wonders whether anybody does them; not more often than every ten seconds.
create or replace function holdfast.note_chores(names text[])
returns void
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  insert into holdfast.chores as c (name, succeeded_at, counts)
  select n.name, holdfast.now(), '{}'
  from (select distinct left(u, 200) as name from unnest(names) as u) as n
  where not exists (
    select from holdfast.chores as d
    where d.name = n.name
      and d.succeeded_at > holdfast.now() - interval '10 seconds'
  )
  order by n.name
  on conflict (name) do update set succeeded_at = excluded.succeeded_at
$$;
comment on function holdfast.note_chores(text[]) is 'Notes that chores have just succeeded.';
