-- Notes that chores have just succeeded, for whoever wonders whether anybody does them; not more often than every ten seconds.
create or replace function holdfast.note_chores(names text[])
returns void
language sql volatile security definer
set search_path = holdfast, pg_temp
-- A gauge is worth no wait: somebody's open transaction may be the first to note a chore.
set lock_timeout = '1s'
as $$
  select holdfast.note_chore(n.name)
  from (select distinct left(u, 200) as name from unnest(names) as u order by 1) as n
  where not exists (
    select from holdfast.chores as d
    where d.name = n.name
      and d.succeeded_at > holdfast.now() - interval '10 seconds'
  )
$$;
comment on function holdfast.note_chores(text[]) is 'Notes that chores have just succeeded.';
