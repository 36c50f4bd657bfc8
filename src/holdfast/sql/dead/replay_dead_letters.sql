-- dead -> ready | waiting: replays dead letters that match a filter, oldest first, at most max (up to 1000).
-- Takes open letters and those under investigation, unless the filter names a status; concurrent calls never take the
-- same one. Holdfast's own jobs are left out. Each job starts at stage of its pipeline; null: where it ended.
-- filter: queue, task, reason, class, error_type, fingerprint, status, assignee, run, since, until.
-- For the next page pass died_at and job_id of the last row. A last row with result more is not a letter: 10,000 were
-- looked at, continue from there.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.replay_dead_letters(
  filter jsonb default '{}', after_time timestamptz default null, after_id uuid default null, max integer default 100,
  reason text default null, actor text default null, stage text default null
)
returns table (job_id uuid, died_at timestamptz, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  past    holdfast.history;
  held    holdfast.history[] := '{}';
  times   timestamptz[] := '{}';
  results text[];
  i       integer;
  seen    record;
  looked  integer := 0;
begin
  perform holdfast.check_count('max', max);
  perform holdfast.check_dead_filter(filter);
  for seen in
    select d.job_id, d.died_at,
      coalesce(holdfast.dead_letter_matches(d, filter) and not holdfast.is_reserved(d.queue), false) as fits
    from holdfast.dead_letters as d
    where d.replayed_at is null
      and (d.died_at, d.job_id) > (coalesce(after_time, '-infinity'),
        coalesce(after_id, '00000000-0000-0000-0000-000000000000'))
    order by d.died_at, d.job_id
    limit 10000
  loop
    exit when cardinality(held) >= least(max, 1000);
    looked := looked + 1;
    job_id := seen.job_id;
    died_at := seen.died_at;
    continue when not seen.fits;
    -- Found without a lock, so checked again under the lock that every replay takes: another call may have been faster.
    select h.* into past
    from holdfast.history as h
    where h.id = seen.job_id
      and h.ended_at >= coalesce(holdfast.created_at(seen.job_id), '-infinity') - interval '1 minute'
    for update skip locked;
    continue when not found or not exists (
      select from holdfast.dead_letters as d
      where d.job_id = past.id and d.died_at = seen.died_at and holdfast.dead_letter_matches(d, filter)
        and (filter ? 'status' or d.status in ('open', 'investigating'))
    );
    held := held || past;
    times := times || seen.died_at;
  end loop;
  -- Lock order: by order key, then unique key, in the collation of enqueues, so that two calls cannot deadlock.
  for i in
    select s from generate_subscripts(held, 1) as s
    order by
      (held[s]).order_key collate "C" nulls first, (held[s]).unique_scope collate "C" nulls first,
      (held[s]).unique_key collate "C" nulls first, (held[s]).id
  loop
    results[i] := holdfast.replay_job(held[i], replay_dead_letters.stage, reason, actor);
  end loop;
  return query select (held[s]).id, times[s], results[s] from generate_subscripts(held, 1) as s order by s;
  if looked = 10000 and cardinality(held) < least(max, 1000) then
    result := 'more';
    return next;
  end if;
end
$$;
