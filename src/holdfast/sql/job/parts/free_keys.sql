-- Frees the unique keys of ended jobs: those that were held until the end only, and those for a period if the job is
-- dead or cancelled, because then there is no result to share.
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
    and (k.until_end or k.expires_at is not null and h.state in ('dead', 'cancelled'))
$$;
