-- Counts what ended, failed, was called and was enqueued, by minute, for end_stats, metrics and forecasts.
-- Counts one minute after the other, begins no further one after the given time, and continues where the last call
-- stopped. Folds minutes that are old into hours, and deletes hours that are old. Returns the rows written, null while
-- another call is counting.
create or replace function holdfast.summarise_ends(within interval default '2 seconds')
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  started constant timestamptz := clock_timestamp();
  now     constant timestamptz := holdfast.now();
  this    constant timestamptz := date_trunc('minute', now);
  oldest  constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  minute  constant interval := '1 minute';
  first   constant timestamptz := this - (select s.keep_minutes from holdfast.statistics_settings as s);
  last    record;
  settled timestamptz;
  sure    timestamptz;
  until   timestamptz;
  before  timestamptz;
  width   interval := minute;
  factor  double precision := 2;
  found   integer;
  written integer := 0;
begin
  perform holdfast.check_within(within);
  if not holdfast.try_lock('summarise_ends') then
    return null;
  end if;
  select
    (c.counts ->> 'until')::timestamptz as until, (c.counts ->> 'sure')::timestamptz as sure,
    (c.counts ->> 'settled')::timestamptz as settled, (c.counts ->> 'again')::timestamptz as again,
    (c.counts -> 'mark' ->> 'xid')::xid8 as mark, (c.counts -> 'mark' ->> 'at')::timestamptz as marked
  into last
  from holdfast.chores as c where c.name = 'summarise_ends';
  -- An end becomes visible at its commit, later than its time. What happened before a mark is settled when every
  -- transaction that was open then has ended, and without that after a quarter of an hour.
  settled := greatest(last.settled, this - interval '15 minutes',
    case when last.mark < oldest then last.marked - interval '2 minutes' end);
  -- Each minute is counted when it is over, and once more when it is settled: only then is it sure.
  sure := date_trunc('minute', least(greatest(coalesce(last.sure, this - interval '1 day'), first), this));
  until := least(greatest(last.until, sure), this);
  if until = this and sure >= least(settled, until) and last.again > now then
    return 0;
  end if;
  loop
    if sure < least(settled, until) then
      written := written + holdfast.summarise_minutes(sure, sure + minute);
      sure := sure + minute;
    elsif until < this then
      before := until;
      select n.until, n.width, n.factor, n.written into until, width, factor, found
      from holdfast.count_next(until, this, width, factor) as n;
      written := written + found;
      -- The first count of what is settled is its last one.
      sure := case when sure = before then greatest(sure, least(until, settled)) else sure end;
    else
      if last.again > now is not true then
        written := written + holdfast.summarise_minutes(this, this + minute);
      end if;
      exit;
    end if;
    exit when clock_timestamp() - started >= within;
  end loop;
  perform holdfast.drop_old_counts(this, sure, started + within);
  perform holdfast.record_maintenance_task('summarise_ends', jsonb_build_object(
    'until', until, 'sure', sure, 'settled', settled, 'rows', written,
    'mark', case
      when last.marked > settled + interval '2 minutes'
        then jsonb_build_object('at', last.marked, 'xid', last.mark::text)
      else jsonb_build_object('at', this, 'xid', pg_current_xact_id()::text)
    end,
    -- The current minute is counted again each time, so a busy one is counted less often.
    'again', greatest(last.again, now + greatest(interval '3 seconds', 20 * (clock_timestamp() - started)))
  ));
  return written;
end
$$;
