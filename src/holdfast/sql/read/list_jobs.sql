-- Returns jobs that match a filter, newest first, as rows of job_view; at most max (up to 1000).
-- filter: state, queue, task, run, labels, older_than, newer_than, enqueued_after, enqueued_before, attempt and
-- failures (at least), priority, worker, order_key, unique_key (by an index; unique_scope narrows it), origin, actor
-- (the login, or the name that its caller claimed), fingerprint (of the latest error), payload (values by path, such
-- as {"customer.id": "4711", "items.0.size": 3}). There a text equals a string, and a number, true, false or null as it
-- is written; a number equals numbers of the same value.
-- For the next page pass the last id as before. Looks at 10,000 live and 10,000 ended jobs per call, and at 16 MiB of
-- payloads above 2 KB: a last row that has only an id is not a match, but the place to continue from.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.list_jobs(filter jsonb default '{}', before uuid default null,
  max integer default 100)
returns setof holdfast.job_view
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  lowest  uuid;
  highest uuid;
  seen    record;
  live    integer := 0;
  ended   integer := 0;
  ids     uuid[] := '{}';
  since   timestamptz;
  until   timestamptz;
  bytes   integer := 0;
  is_cut  boolean := false;
begin
  perform holdfast.check_count('max', max);
  filter := holdfast.read_job_filter(filter);
  select b.lowest, least(before, b.highest) into lowest, highest from holdfast.id_bounds(filter) as b;
  for seen in
    select s.*
    from (
      select * from holdfast.newest_live(filter, lowest, highest)
      union all
      select * from holdfast.newest_ended(filter, lowest, highest)
    ) as s
    order by s.id desc
  loop
    live := live + (seen.ended_at is null)::integer;
    ended := ended + (seen.ended_at is not null)::integer;
    if seen.fits is null then
      select l.fits, bytes + l.read_bytes into seen.fits, bytes
      from holdfast.look_closer(filter, seen.id, seen.payload) as l;
    end if;
    if seen.fits then
      ids := ids || seen.id;
      since := least(since, seen.ended_at);
      until := greatest(until, seen.ended_at);
    end if;
    -- Below this id the side that reached 10,000 is unknown.
    is_cut := live = 10000 or ended = 10000 or bytes > 16777216;
    exit when is_cut or cardinality(ids) >= least(max, 1000);
  end loop;
  return query
    select v.*
    from holdfast.job_view as v
    where v.id = any (ids)
      and (v.ended_at is null or v.ended_at >= since and v.ended_at <= until)
    order by v.id desc;
  if is_cut and cardinality(ids) < least(max, 1000) then
    return query select (jsonb_populate_record(null::holdfast.job_view, jsonb_build_object('id', seen.id))).*;
  end if;
end
$$;
