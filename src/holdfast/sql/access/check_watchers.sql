-- Returns which watchers of live updates may go on: their places in the lists, from 1.
-- hashes has the SHA-256 of a secret of each one's access key, or of its session; jobs the job that it watches, null
-- for what no move can take out of the key's scope. Unlike check_access, it checks all watchers of a server at once.
-- plan: no seqscan, generic
create or replace function holdfast.check_watchers(hashes bytea[], jobs uuid[])
returns setof integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  moment constant timestamptz := holdfast.now();
  placed constant jsonb := (
    select coalesce(jsonb_object_agg(p.id, jsonb_build_array(p.queue, p.task)), '{}')
    from holdfast.place_of_jobs(array(select distinct u from unnest(jobs) as u where u is not null)) as p);
begin
  if cardinality(hashes) is distinct from cardinality(jobs) or cardinality(hashes) > 1000 then
    perform holdfast.refuse('HF002', 'hashes and jobs must have the same length, at most 1000 each.',
      'The two are parallel: pass the hash of an access key and the job that its caller waits for.');
  end if;
  return query
    select w.place::integer
    from unnest(hashes, jobs) with ordinality as w (hash, job, place)
    join holdfast.access_secrets as s on s.hash = w.hash
    join holdfast.access_keys as k on k.id = s.key_id
    where s.kind <> 'link'
      and k.revoked_at is null
      and coalesce(k.expires_at > moment, true)
      and coalesce(s.expires_at > moment, true)
      and holdfast.access_problem(k, 'read_job', null, null) is null
      and (w.job is null or k.scope is null
        or coalesce(placed -> w.job::text ->> 0 = any (k.queues), k.queues is null)
          and coalesce(placed -> w.job::text ->> 1 = any (k.tasks), k.tasks is null));
  perform holdfast.note_key_use(hashes, moment);
end
$$;
