-- an end -> ready | waiting: starts ended jobs again, at a stage of their pipeline or, if null, where each ended.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.replay_each(ids uuid[], stage text, reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  past  holdfast.history;
  asked uuid;
begin
  -- All of them first: replay_dead_letters, too, holds what it replays before it waits for a key.
  perform from holdfast.history as h
  where h.id = any (ids)
    and cardinality(ids) > 1
    and h.ended_at >= (
      select coalesce(min(coalesce(holdfast.created_at(u), '-infinity')), '-infinity') - interval '1 minute'
      from unnest(ids) as u)
  order by h.id
  for update;
  -- Lock order: by order key, then unique key, so that two calls cannot deadlock. In the collation of enqueues.
  foreach asked in array array(
    select i.id
    from (select distinct id from unnest(ids) as id) as i
    left join lateral (
      select h.order_key, h.unique_scope, h.unique_key from holdfast.history as h
      where h.id = i.id and h.ended_at >= coalesce(holdfast.created_at(i.id) - interval '1 minute', '-infinity')
    ) as k on true
    order by
      k.order_key collate "C" nulls first, k.unique_scope collate "C" nulls first, k.unique_key collate "C" nulls first,
      i.id
  ) loop
    job_id := asked;
    select h.* into past
    from holdfast.history as h
    where h.id = asked
      and h.ended_at >= coalesce(holdfast.created_at(asked) - interval '1 minute', '-infinity')
    -- Waits for a concurrent replay of the same job; afterwards the job is live.
    for update;
    if found then
      result := holdfast.replay_job(past, replay_each.stage, reason, actor);
    else
      result := case when exists (select from holdfast.jobs as j where j.id = asked) then 'live' else 'not_found' end;
    end if;
    return next;
  end loop;
end
$$;
