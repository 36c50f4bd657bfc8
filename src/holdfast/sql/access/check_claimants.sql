-- Returns which claims that wait at a server may go on waiting: their places in the lists, from 1.
-- hashes has the SHA-256 of a secret of each one's access key, workers the worker that it claims for, which the key
-- must have registered. Unlike check_access, it checks all claims of a server at once.
-- plan: no seqscan, generic
create or replace function holdfast.check_claimants(hashes bytea[], workers uuid[])
returns setof integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  moment constant timestamptz := holdfast.now();
begin
  if cardinality(hashes) is distinct from cardinality(workers) or cardinality(hashes) > 1000 then
    perform holdfast.refuse('HF002', 'hashes and workers must have the same length, at most 1000 each.',
      'The two are parallel: pass the hash of an access key and the worker that its caller claims for.');
  end if;
  return query
    select c.place::integer
    from unnest(hashes, check_claimants.workers) with ordinality as c (hash, worker, place)
    join holdfast.access_secrets as s on s.hash = c.hash
    join holdfast.access_keys as k on k.id = s.key_id
    join holdfast.workers as w on w.id = c.worker and w.access_key = k.id
    where s.kind <> 'link'
      and k.revoked_at is null
      and coalesce(k.expires_at > moment, true)
      and coalesce(s.expires_at > moment, true)
      and holdfast.access_problem(k, 'work', null, null) is null;
  perform holdfast.note_key_use(hashes, moment);
end
$$;
