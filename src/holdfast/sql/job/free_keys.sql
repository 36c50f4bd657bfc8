-- Frees the unique keys of ended jobs that were to live only as long as they.
create or replace function holdfast.free_keys(ids uuid[], at timestamptz)
returns void
language sql volatile
as $$
  delete from holdfast.unique_keys as k
  using holdfast.history as h
  where h.id = any (ids)
    and h.ended_at = at
    and k.scope = h.unique_scope
    and k.key = h.unique_key
    and k.job_id = h.id
    and k.until_end
$$;
comment on function holdfast.free_keys(uuid[], timestamptz) is 'Frees the unique keys of jobs that ended at the given time and were to live only as long as they.';
