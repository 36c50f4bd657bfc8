-- Counts the live jobs of each queue exactly, once a minute, for depth_history and wherever a live count is capped.
-- Works for the given time at most and continues where the last call stopped, even within a queue. A queue is stored
-- when all of it was counted: at one moment if one call sufficed, otherwise between began_at and sampled_at. Also
-- deletes old samples. Returns the samples stored, null while another call is counting.
create or replace function holdfast.sample_depths(within interval default '2 seconds', chunk integer default 50000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  until  constant timestamptz := clock_timestamp() + within;
  this   constant timestamptz := date_trunc('minute', holdfast.now());
  last   jsonb;
  is_new boolean;
  before timestamptz;
  place  jsonb;
  stored integer;
begin
  perform holdfast.check_within(within);
  if coalesce(chunk, 0) < 1 then
    perform holdfast.refuse('HF002', format('chunk must be at least 1 (got %s).', coalesce(chunk::text, 'null')),
      'Pass how many index entries one step counts.');
  end if;
  if not holdfast.try_lock('sample_depths') then
    return null;
  end if;
  last := coalesce((select c.counts from holdfast.chores as c where c.name = 'sample_depths'), '{}');
  is_new := coalesce(last -> 'place', 'null') = 'null';
  if is_new and (last ->> 'minute')::timestamptz >= this then
    return 0;
  end if;
  -- When the round before this one began: what it stored may be empty now.
  before := (last ->> case when is_new then 'minute' else 'before' end)::timestamptz;
  -- One statement, so that all that it counts is counted in one snapshot.
  with counted as materialized (
    select c.* from holdfast.count_depths(nullif(last -> 'place', 'null'), before, until, chunk) as c
  ), written as (
    insert into holdfast.depth_samples as s (
      queue, minute, began_at, sampled_at, waiting, scheduled, ready, running, oldest_ready)
    select
      c.queue, date_trunc('minute', c.sampled_at), c.began_at, c.sampled_at, c.waiting, c.scheduled, c.ready, c.running,
      c.oldest_ready
    from counted as c
    where c.place is null
      -- A queue that stays empty is stored once.
      and (c.waiting + c.scheduled + c.ready + c.running > 0 or (
        select n.waiting + n.scheduled + n.ready + n.running > 0
        from holdfast.depth_samples as n
        where n.queue = c.queue
        order by n.minute desc
        limit 1))
    on conflict on constraint depth_samples_pkey do update
      set began_at = excluded.began_at, sampled_at = excluded.sampled_at, waiting = excluded.waiting,
          scheduled = excluded.scheduled, ready = excluded.ready, running = excluded.running,
          oldest_ready = excluded.oldest_ready
    returning 1
  )
  select (select count(*) from written), (select c.place from counted as c where c.place is not null)
  into stored, place;
  perform holdfast.record_maintenance_task('sample_depths', jsonb_build_object(
    -- A round that takes several calls belongs to the minute in which it began.
    'minute', case when is_new then this else (last ->> 'minute')::timestamptz end,
    'before', before,
    'place', place,
    'thinned', holdfast.thin_depths((last ->> 'thinned')::timestamptz, until)));
  return stored;
end
$$;
