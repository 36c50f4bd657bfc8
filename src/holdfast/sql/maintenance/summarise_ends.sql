-- Counts the jobs that ended, by minute, queue, task and state, for end_stats and forecasts.
-- Works for two seconds at most and continues where the last call stopped. Returns the rows written, null while
-- another call is counting.
create or replace function holdfast.summarise_ends()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  started constant timestamptz := clock_timestamp();
  now     constant timestamptz := holdfast.now();
  this    constant timestamptz := date_trunc('minute', now);
  last    record;
  since   timestamptz;
  step    timestamptz;
  written integer := 0;
begin
  if not holdfast.try_lock('summarise_ends') then
    return null;
  end if;
  select (c.counts ->> 'until')::timestamptz as until, (c.counts ->> 'again')::timestamptz as again into last
  from holdfast.chores as c where c.name = 'summarise_ends';
  if last.until >= this and last.again > now then
    return 0;
  end if;
  since := least(greatest(coalesce(last.until, this - interval '1 day'), this - interval '7 days'), this);
  if since < this then
    -- An end becomes visible at its commit, later than its time: the last two minutes are counted again.
    since := since - interval '2 minutes';
    while since < this and clock_timestamp() - started < interval '2 seconds' loop
      step := least(this, since + interval '10 minutes');
      written := written + holdfast.summarise_minutes(since, step);
      perform holdfast.keep_lanes(since, step);
      since := step;
    end loop;
    delete from holdfast.end_counts as c where c.minute < this - interval '7 days';
  end if;
  if since = this then
    written := written + holdfast.summarise_minutes(this, this + interval '1 minute');
  end if;
  perform holdfast.record_maintenance_task('summarise_ends', jsonb_build_object(
    'until', since, 'rows', written,
    -- The current minute is counted again each time, so a busy one is counted less often.
    'again', now + greatest(interval '3 seconds', 20 * (clock_timestamp() - started))
  ));
  return written;
end
$$;
