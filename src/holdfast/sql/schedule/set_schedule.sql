-- (nothing) -> new: makes a schedule, or sets the given keys of its settings, as an operator.
-- settings: task or pipeline, cron (five fields) or every (an interval in whole seconds), tz (an IANA name, UTC),
-- payload, options (of its jobs, as enqueue takes them), missed (skip, last or all), overlap (allow or skip). Keys that
-- are not given keep their values; null restores the default. A worker checks cron and tz in its next round: what it
-- cannot read makes the schedule invalid, with the reason in schedule_view. Other times count from now on. Returns the
-- settings that changed, with their values before and after; the audit trail gets one event with these.
create or replace function holdfast.set_schedule(
  name text, settings jsonb, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  return query
    select * from holdfast.configure_schedule('set_schedule', name, coalesce(settings, '{}'), reason, actor);
end
$$;
