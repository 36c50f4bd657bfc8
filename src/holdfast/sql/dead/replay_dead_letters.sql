-- dead -> ready | waiting: replays the oldest dead letters that fit a filter, from a place on. None is taken twice.
create or replace function holdfast.replay_dead_letters(
  filter jsonb default '{}', after_time timestamptz default null, after_id uuid default null, max integer default 100,
  reason text default null, actor text default null
)
returns table (job_id uuid, died_at timestamptz, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
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
    select d.job_id, d.died_at, coalesce(holdfast.dead_letter_matches(d, filter), false) as fits
    from holdfast.dead_letters as d
    where d.replayed_at is null
      and (d.died_at, d.job_id) > (coalesce(after_time, '-infinity'), coalesce(after_id, '00000000-0000-0000-0000-000000000000'))
    order by d.died_at, d.job_id
    limit 10000
  loop
    exit when cardinality(held) >= least(max, 1000);
    looked := looked + 1;
    job_id := seen.job_id;
    died_at := seen.died_at;
    continue when not seen.fits;
    -- Found without locks, so it is looked at again under the lock that every replay takes: somebody may have been faster.
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
  -- In the order of what each will wait for, so that two calls cannot wait for each other.
  for i in
    select s from generate_subscripts(held, 1) as s
    order by (held[s]).order_key nulls first, (held[s]).unique_scope nulls first, (held[s]).unique_key nulls first, (held[s]).id
  loop
    results[i] := holdfast.replay_job(held[i], null, reason, actor);
  end loop;
  return query select (held[s]).id, times[s], results[s] from generate_subscripts(held, 1) as s order by s;
  if looked = 10000 and cardinality(held) < least(max, 1000) then
    result := 'more';
    return next;
  end if;
end
$$;
comment on function holdfast.replay_dead_letters(jsonb, timestamptz, uuid, integer, text, text)
  is 'Replays up to max (at most 1000) dead letters that are open or under investigation, oldest first. Give time and id of the last row for the rest; a last row with result more is no letter, but where the look stopped.';
