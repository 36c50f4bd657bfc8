-- Deletes samples that were kept for their time: of each hour past keep_minutes all but the first, then all of them.
-- Works hour by hour from since, the oldest if null, until the time is over. Returns where to continue.
-- plan: no seqscan
create or replace function holdfast.thin_depths(since timestamptz, until timestamptz)
returns timestamptz
language plpgsql volatile
as $$
declare
  at     constant timestamptz := holdfast.now();
  kept   holdfast.statistics_settings;
  hour   timestamptz;
begin
  select s.* into kept from holdfast.statistics_settings as s;
  delete from holdfast.depth_samples as d
  where (d.queue, d.minute) in (
    select o.queue, o.minute
    from holdfast.depth_samples as o
    where o.minute < at - kept.keep_hours
    order by o.minute
    limit 10000);
  hour := coalesce(since, date_trunc('hour', (
    select o.minute from holdfast.depth_samples as o order by o.minute limit 1), 'UTC'));
  while hour <= at - kept.keep_minutes - interval '1 hour' loop
    delete from holdfast.depth_samples as d
    where d.minute >= hour
      and d.minute < hour + interval '1 hour'
      and exists (
        select from holdfast.depth_samples as e
        where e.queue = d.queue and e.minute >= hour and e.minute < d.minute);
    hour := hour + interval '1 hour';
    exit when clock_timestamp() >= until;
  end loop;
  return hour;
end
$$;
