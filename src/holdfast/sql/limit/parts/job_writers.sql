-- The open transactions of other sessions that have written to jobs.
create or replace function holdfast.job_writers()
returns text[]
language sql volatile
as $$
  select coalesce(array_agg(distinct l.virtualtransaction), '{}')
  from pg_locks as l
  where l.relation = 'holdfast.jobs'::regclass
    and l.database = (select d.oid from pg_database as d where d.datname = current_database())
    and l.mode = 'RowExclusiveLock'
    and l.pid is distinct from pg_backend_pid()
$$;
