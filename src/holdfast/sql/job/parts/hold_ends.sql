-- Locks the jobs of a call's ends by id, then the endpoints whose permits they hold by name.
-- The one place where ends lock jobs; what follows works on locked rows. Returns the ends whose token is valid, one
-- row per verb. A job may be listed twice, with an outdated token and with that of a later claim: one end is valid.
-- Completions are left out: the statement that ends them checks their tokens. They are locked here only if there are
-- endpoints, because no transaction may wait for a job while it holds one.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.hold_ends(
  ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[]
)
returns table (verb text, held uuid[], results json[], reports jsonb[], is_traced boolean)
language plpgsql volatile
as $$
declare
  others  constant uuid[] := array(
    select u.id from unnest(ids, verbs) as u (id, verb) where u.verb is distinct from 'complete');
  permits integer[];
begin
  select array_agg(j.permit) filter (where j.permit is not null)
  into permits
  from (
    select case when j.in_flight_at_start is not null then coalesce(j.permit_lane, j.lane) end as permit
    from holdfast.jobs as j
    where j.id = any (case when exists (select from holdfast.endpoints) then ids else others end)
      and j.token = any (tokens)
    order by j.id
    for update
  ) as j;
  if permits is not null then
    perform holdfast.lock_endpoints(permits);
  end if;
  return query
    select e.verb, array_agg(e.id), array_agg(e.output), array_agg(e.detail), bool_or(e.detail ? 'trace')
    from (
      select distinct on (u.id) u.*
      from unnest(ids, tokens, verbs, outputs, details) with ordinality as u (id, token, verb, output, detail, place)
      join holdfast.jobs as j on j.id = u.id and j.token = u.token
      where j.id = any (others)
        and u.verb is distinct from 'complete'
      order by u.id, u.place
    ) as e
    group by e.verb
    order by e.verb;
end
$$;
