-- Frees the unique keys of ended jobs that were held until the end only.
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
