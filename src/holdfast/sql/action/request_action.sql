-- (nothing) -> ready: stores a bulk action that an access key asks for, as a job of the reserved queue holdfast.
-- hash is the SHA-256 of the key's secret. Its role must be operator or admin, and a key for some queues or tasks must
-- name one of them in the filter. action: cancel, replay, reclaim, complete, fail or set_priority with a filter of
-- list_jobs; replay_dead_letters or resolve_dead_letters with one of find_dead_letters; move with the queue only.
-- settings: filter, pace (jobs per second), dry_run, and what the action needs: priority, to (a queue), limit, status,
-- stage, output, canary, canary_timeout. A worker of `holdfast serve` acts, as far as the key may do it then.
-- The same idempotency_key of the same access key gives the same job for 24 hours. No other verb stores jobs there.
create or replace function holdfast.request_action(
  hash bytea, action text, settings jsonb, reason text, idempotency_key text default null,
  out job_id uuid, out created boolean
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  caller record;
  named  record;
  stored record;
  own    jsonb;
begin
  perform holdfast.check_object('settings', settings);
  perform holdfast.check_action_settings(action, settings);
  perform holdfast.check_reason(reason);
  select s.* into named from holdfast.action_scope(settings) as s;
  select c.* into caller from holdfast.check_access(hash, 'bulk', named.queues, named.tasks) as c;
  -- A stage may be in another queue, and nobody looks where the replayed jobs went.
  if caller.scope is not null and settings ->> 'stage' is not null then
    perform holdfast.refuse('HF008',
      format(
        'The access key %s is limited to some queues or tasks; such a key cannot choose the stage of a replay.',
        caller.name),
      'Leave out stage, or replay jobs by their ids with POST /api/v1/jobs/replay.');
  end if;
  -- The count of a dry run would tell who enqueued jobs.
  if caller.scope is not null and settings #>> '{filter,actor}' <> caller.name then
    perform holdfast.refuse('HF008',
      format('The access key %1$s can filter by actor only with its own name as the actor (%1$s).', caller.name),
      'Leave out the filter actor, or pass the name of the access key as its value.');
  end if;
  own := jsonb_build_object('queue', 'holdfast', 'origin', 'manual', 'actor', caller.name, 'rules', false)
    || case when idempotency_key is null then '{}' else jsonb_build_object('unique_key', idempotency_key,
      'unique_scope', format('actions of access key %s', caller.key), 'unique_for', '24 hours') end;
  select s.* into stored
  from holdfast.store_jobs(
    array['holdfast.' || action],
    array[json_build_object('action', action, 'settings', settings, 'reason', holdfast.sanitise_text(reason),
      'key', caller.key)],
    own, holdfast.read_columns(own, null, null), true) as s;
  job_id := stored.ids[1];
  created := stored.made[1] is not false;
end
$$;
