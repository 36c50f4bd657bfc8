-- The origin, the claimed actor and the trace of each job of a call: its own, else the call's, else its parent's.
-- In its parent's trace a child belongs to the latest attempt that ended, else to the producer.
create or replace function holdfast.inherit_origins(n integer, o record, own record, out origins text[],
  out actors text[], out traces jsonb[])
language plpgsql stable
as $$
declare
  parents       constant uuid[] := own.parent;
  given_origins constant text[] := own.origin;
  given_actors  constant text[] := own.actor;
  given_traces  constant jsonb[] := own.trace;
begin
  select
    array_agg(coalesce(given_origins[i], o.origin, p.origin) order by i),
    array_agg(coalesce(given_actors[i], o.actor, p.claimed_actor) order by i),
    array_agg(coalesce(given_traces[i], o.trace, p.trace - 'attempt'
      || jsonb_build_object('traceparent', coalesce(p.trace -> 'attempt', p.trace -> 'traceparent'))) order by i)
  into origins, actors, traces
  from generate_series(1, n) as i
  -- offset 0: one look into the primary key per job, whatever the statistics say.
  left join lateral (
    select j.origin, j.claimed_actor, j.trace
    from holdfast.jobs as j
    where j.id = coalesce(parents[i], o.parent)
    offset 0
  ) as p on true;
end
$$;
