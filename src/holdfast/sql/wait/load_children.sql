-- Returns the children of a run in the order of their creation, with state, output and reason.
create or replace function holdfast.load_children(run uuid)
returns table (job_id uuid, state text, output json, reason text)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with known as (
    select j.id, j.state, null::json as output, null::text as reason
    from holdfast.jobs as j
    where j.run_id = run
    union all
    select h.id, h.state, h.output, h.reason
    from holdfast.history as h
    where h.run_id = run
      and h.ended_at >= (select r.created_at from holdfast.runs as r where r.id = run) - interval '1 minute'
  )
  select k.id, k.state, k.output, k.reason
  from known as k
  order by k.id
$$;
