-- The open transactions of other sessions that may have written events which are not visible yet.
create or replace function holdfast.event_writers()
returns text[]
language sql volatile
as $$
  -- A prepared transaction has another number than before, so all of them have the same one here.
  select coalesce(array_agg(distinct case when l.pid is null then 'prepared' else l.virtualtransaction end), '{}')
  from pg_locks as l
  where l.relation = 'holdfast.events'::regclass
    and l.database = (select d.oid from pg_database as d where d.datname = current_database())
    and l.mode = 'RowExclusiveLock'
    and l.pid is distinct from pg_backend_pid()
$$;
