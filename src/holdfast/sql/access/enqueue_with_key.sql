-- (nothing) -> ready | scheduled | waiting: stores jobs for a caller of the HTTP API, all or none, if its key may.
-- hash is the SHA-256 of a secret of the access key, and key the id for which the options were made: HF007 unless the
-- hash is one of that key, valid now. Names are checked before the jobs are stored, and where the database put them
-- afterwards, in the same statement; a rule may route them out of the key's scope. tasks, payloads,
-- options and each are those of enqueue_jobs; the answer is the same without routes.
-- plan: no seqscan, generic
create or replace function holdfast.enqueue_with_key(
  hash bytea, key uuid, tasks text[], payloads json[], options jsonb default '{}', each jsonb[] default null
)
returns table (job_id uuid, created boolean)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  caller record;
  ids    uuid[];
  made   boolean[];
begin
  perform holdfast.check_object('options', options);
  select c.* into caller
  from holdfast.check_access(hash, 'enqueue',
    case
      when each is not null then
        array(select coalesce(e ->> 'queue', options ->> 'queue') from unnest(each) as e)
      when options ? 'queue' then array[options ->> 'queue']
    end,
    tasks) as c;
  if caller.key is distinct from enqueue_with_key.key then
    perform holdfast.refuse('HF007', 'The access key is unknown, expired or revoked.',
      'Send a valid key; ''holdfast keys create'' makes one.');
  end if;
  if caller.scope is null then
    return query select e.job_id, e.created from holdfast.enqueue_jobs(tasks, payloads, options, each) as e;
    return;
  end if;
  select array_agg(e.job_id order by e.place), array_agg(e.created order by e.place) into ids, made
  from holdfast.enqueue_jobs(tasks, payloads, options, each) with ordinality as e (job_id, created, route, place);
  -- A unique key that has a job returns it unchecked: the key holds within the caller's own scope.
  perform holdfast.check_access(hash, 'enqueue',
    jobs => array(select u.id from unnest(ids, made) as u (id, is_made) where u.is_made));
  return query select u.id, u.is_made from unnest(ids, made) as u (id, is_made);
end
$$;
