-- completed | rejected | cancelled | dead -> (nothing): deletes ended jobs past their queue's retention.
-- Also deletes expired unique keys, cached values, and secrets of access keys such as sessions (keys counts all three),
-- and drops empty partitions of history. A dead letter that is open or under investigation keeps its job. Returns
-- counts, at most max of each; no row while another call is pruning. A job whose dead letter was dealt with, or whose
-- queue was removed, may stay a day longer.
create or replace function holdfast.prune_jobs(max integer default 1000)
returns table (jobs integer, keys integer, partitions integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  at  constant timestamptz := holdfast.now();
  old uuid[];
begin
  perform holdfast.check_count('max', max);
  if not holdfast.try_lock('prune') then
    return;
  end if;
  keys := 0;
  partitions := 0;
  old := holdfast.prune_history(at, max);
  jobs := cardinality(old);
  if jobs > 0 then
    perform holdfast.forget_jobs(old);
  end if;
  with past as (
    select u.scope, u.key
    from holdfast.unique_keys as u
    where u.expires_at < at
    order by u.expires_at
    limit max
    for update skip locked
  )
  delete from holdfast.unique_keys as k using past as p where k.scope = p.scope and k.key = p.key;
  get diagnostics keys = row_count;
  keys := keys + holdfast.prune_cached_values(at, max) + holdfast.prune_access_secrets(at, max);
  partitions := holdfast.drop_empty_partitions(at);
  return next;
end
$$;
