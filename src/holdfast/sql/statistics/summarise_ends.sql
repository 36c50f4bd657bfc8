-- Counts what ended, failed, was called and was enqueued, by minute, for end_stats, metrics and forecasts.
-- Works for two seconds at most and continues where the last call stopped. Folds minutes that are old into hours, and
-- deletes hours that are old. Returns the rows written, null while another call is counting.
create or replace function holdfast.summarise_ends()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  started  constant timestamptz := clock_timestamp();
  now      constant timestamptz := holdfast.now();
  this     constant timestamptz := date_trunc('minute', now);
  oldest   constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  usual    constant interval := '10 minutes';
  kept     holdfast.statistics_settings;
  last     record;
  sure     timestamptz;
  since    timestamptz;
  width    interval := usual;
  step     timestamptz;
  written  integer := 0;
begin
  if not holdfast.try_lock('summarise_ends') then
    return null;
  end if;
  select
    (c.counts ->> 'until')::timestamptz as until, (c.counts ->> 'sure')::timestamptz as sure,
    (c.counts ->> 'again')::timestamptz as again, c.counts -> 'mark' as mark
  into last
  from holdfast.chores as c where c.name = 'summarise_ends';
  if last.until >= this and last.again > now then
    return 0;
  end if;
  select s.* into kept from holdfast.statistics_settings as s;
  sure := least(greatest(coalesce(last.sure, this - interval '1 day'), this - kept.keep_minutes), this);
  since := date_trunc('minute', sure);
  while since < this and clock_timestamp() - started < interval '2 seconds' loop
    step := least(this, since + width);
    if holdfast.is_quiet(since, step) then
      -- A new database, or one whose workers were stopped: a look costs the same however long the span is.
      since := step;
      width := 2 * width;
    elsif step > since + usual then
      width := width / 2;
    else
      written := written + holdfast.summarise_minutes(since, step);
      perform holdfast.keep_lanes(since, step);
      since := step;
    end if;
  end loop;
  if since = this then
    written := written + holdfast.summarise_minutes(this, this + interval '1 minute');
  end if;
  -- An end becomes visible at its commit, later than its time. What happened before a mark is sure when every
  -- transaction that was open then has ended; until then it is counted again, for a quarter of an hour at most.
  if since < this then
    sure := greatest(sure, since - interval '2 minutes');
  else
    if (last.mark ->> 'xid')::xid8 < oldest then
      sure := greatest(sure, (last.mark ->> 'at')::timestamptz - interval '2 minutes');
      last.mark := null;
    end if;
    sure := greatest(sure, this - interval '15 minutes');
  end if;
  -- For an hour longer than needed here: check_invariants counts the last hour again.
  delete from holdfast.replayed_ends as r where r.ended_at < sure - interval '1 hour';
  while clock_timestamp() - started < interval '2 seconds' and holdfast.fold_hour(this - kept.keep_minutes) loop
  end loop;
  delete from holdfast.end_counts as c where c.is_hour and c.minute < this - kept.keep_hours;
  perform holdfast.record_maintenance_task('summarise_ends', jsonb_build_object(
    'until', since, 'sure', sure, 'rows', written,
    'mark', coalesce(last.mark, jsonb_build_object('at', this, 'xid', pg_current_xact_id()::text)),
    -- The current minute is counted again each time, so a busy one is counted less often.
    'again', now + greatest(interval '3 seconds', 20 * (clock_timestamp() - started))
  ));
  return written;
end
$$;
