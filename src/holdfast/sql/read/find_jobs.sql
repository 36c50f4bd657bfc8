-- Returns ids and states of live jobs that match a filter, oldest first, for bulk actions.
-- filter: as in list_jobs. For the next page pass the last id as after. Looks at 10,000 jobs per call, and at 16 MiB
-- of payloads above 2 KB: a last row without a state is not a match, but the place to continue from.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.find_jobs(filter jsonb default '{}', after uuid default null,
  max integer default 1000)
returns table (job_id uuid, state text)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  lowest  uuid;
  highest uuid;
  seen    record;
  looked  integer := 0;
  given   integer := 0;
  looks   boolean;
  fits    boolean;
  bytes   integer := 0;
begin
  perform holdfast.check_count('max', max);
  filter := holdfast.read_job_filter(filter);
  looks := filter ?| '{payload,fingerprint}';
  select greatest(after, b.lowest), b.highest into lowest, highest from holdfast.id_bounds(filter) as b;
  for seen in
    (select j.* from holdfast.jobs as j
      where filter ? 'unique_key' and j.unique_key = filter ->> 'unique_key' and j.id > lowest and j.id < highest
      order by j.id
      limit 10000)
    union all
    (select j.* from holdfast.jobs as j
      where not filter ? 'unique_key' and filter ? 'run' and j.run_id = (filter ->> 'run')::uuid
        and j.id > lowest and j.id < highest
      order by j.id
      limit 10000)
    union all
    (select j.* from holdfast.jobs as j
      where not filter ?| '{unique_key,run}' and j.id > lowest and j.id < highest
      order by j.id
      limit 10000)
  loop
    exit when given >= least(max, 10000) or bytes > 16777216;
    looked := looked + 1;
    job_id := seen.id;
    state := seen.state;
    fits := holdfast.job_matches(filter, seen.state, seen.queue, seen.task, seen.run_id, seen.labels, seen.attempt,
      seen.failures, seen.priority, seen.worker_id, seen.order_key, seen.unique_scope, seen.unique_key, seen.login_id,
      seen.origin, seen.claimed_actor);
    if fits and looks then
      fits := holdfast.own_row_fits(filter, seen.payload, seen.attempt + seen.failures + seen.losses + seen.deferrals);
    end if;
    if fits is null then
      select l.fits, bytes + l.read_bytes into fits, bytes
      from holdfast.look_closer(filter, seen.id, seen.payload) as l;
    end if;
    if fits then
      given := given + 1;
      return next;
    end if;
  end loop;
  if (looked = 10000 or bytes > 16777216) and given < least(max, 10000) then
    state := null;
    return next;
  end if;
end
$$;
