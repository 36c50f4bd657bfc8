-- Returns the states of jobs by id: of jobs that the same login enqueued, and of all jobs to callers of get_job.
-- For producers: state, attempts, times, and class and type of the last error, but neither payload nor output. Jobs
-- that are unknown, were pruned or are not for the caller have no row. At most 10,000 ids per call.
-- plan: no seqscan
create or replace function holdfast.job_states(ids uuid[])
returns table (
  job_id uuid, state text, attempt integer, failures integer, created_at timestamptz, due_at timestamptz,
  ready_at timestamptz, started_at timestamptz, ended_at timestamptz, changed_at timestamptz, error_class text,
  error_type text
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  caller    constant text := coalesce(nullif(current_setting('role'), 'none'), session_user::text);
  reads_all constant boolean := has_function_privilege(caller, 'holdfast.get_job(uuid)', 'execute');
begin
  if cardinality(ids) > 10000 then
    perform holdfast.refuse('HF002', format('At most 10000 jobs can be looked up at once (got %s).', cardinality(ids)),
      'Call job_states several times, each time with some of the ids.');
  end if;
  return query
    select
      v.id, v.state, v.attempt, v.failures, v.created_at, v.due_at, v.ready_at, v.started_at, v.ended_at, v.changed_at,
      a.class, a.error_type
    from unnest(ids) with ordinality as u (id, i)
    -- offset 0: one look by id, which leaves out the weeks before the job was created.
    cross join lateral (
      select j.*
      from holdfast.job_view as j
      where j.id = u.id
        and (j.ended_at is null
          or j.ended_at >= coalesce(holdfast.created_at(u.id), '-infinity') - interval '1 minute')
      offset 0
    ) as v
    left join lateral (
      select t.class, t.error_type from holdfast.attempts as t where t.job_id = u.id order by t.attempt desc limit 1
    ) as a on true
    where reads_all or v.login = session_user::text
    order by u.i;
end
$$;
