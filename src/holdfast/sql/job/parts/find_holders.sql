-- The jobs that have the unique keys of a call; is_gone: a key that was taken a moment ago is free now, or has expired.
create or replace function holdfast.find_holders(
  ids uuid[], scopes text[], keys text[], hashes bytea[], at timestamptz,
  out holders uuid[], out made boolean[], out is_gone boolean
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  fault integer;
begin
  select
    array_agg(coalesce(h.job_id, u.id) order by u.i),
    array_agg(u.key is null or h.job_id = u.id order by u.i),
    bool_or(u.key is not null and (h.job_id is null or h.job_id <> u.id and coalesce(h.expires_at <= at, false))),
    (array_agg(u.i order by u.scope collate "C", u.key collate "C", u.i)
      filter (where not holdfast.is_same_work(h.payload_hash, u.hash)))[1]
  into holders, made, is_gone, fault
  from rows from (unnest(ids), unnest(scopes), unnest(keys), unnest(hashes)) with ordinality
    as u (id, scope, key, hash, i)
  -- offset 0: one look into the primary key per job, whatever the statistics say.
  left join lateral (
    select k.job_id, k.payload_hash, k.expires_at
    from holdfast.unique_keys as k
    where k.scope = u.scope and k.key = u.key
    offset 0
  ) as h on true;
  if not is_gone and fault is not null then
    perform holdfast.refuse_key(keys[fault], holders[fault]);
  end if;
end
$$;
