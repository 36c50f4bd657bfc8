-- Sets the given keys of a schedule's settings for declare_schedules and set_schedule; returns those that changed.
-- Other times count from now on: a worker computes the next slot.
create or replace function holdfast.configure_schedule(
  cause text, name text, settings jsonb, reason text, actor text
)
returns table (setting text, was jsonb, became jsonb)
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  -- Without nulls: a null stands for the default.
  p      constant jsonb := jsonb_strip_nulls(settings);
  at     constant timestamptz := date_trunc('second', holdfast.now());
  before jsonb;
  old    holdfast.schedules;
  s      holdfast.schedules;
begin
  perform holdfast.check_schedule_settings(settings);
  loop
    select x.* into old from holdfast.schedules as x where x.name = configure_schedule.name for update;
    before := coalesce(holdfast.schedule_settings(name), '{}');
    s := holdfast.changed_schedule(old, settings, p);
    if old.name is not null then
      exit when s is not distinct from old;
      update holdfast.schedules as x
      set task = s.task, pipeline = s.pipeline, cron = s.cron, every = s.every, tz = s.tz, payload = s.payload,
          options = s.options, missed = s.missed, overlap = s.overlap,
          -- A refused slot is tried again at once: what was refused may be what changed.
          retry_at = null, state = case when x.state = 'failing' then 'active' else x.state end,
          problem = case when x.state = 'invalid' then x.problem end
      where x.name = configure_schedule.name;
      if (s.cron, s.every, s.tz) is distinct from (old.cron, old.every, old.tz) then
        perform holdfast.recount_schedule(name, at);
      end if;
      exit;
    end if;
    insert into holdfast.schedules (name, task, pipeline, cron, every, tz, payload, options, missed, overlap,
      counts_from)
    values (name, s.task, s.pipeline, s.cron, s.every, s.tz, s.payload, s.options, s.missed, s.overlap, at)
    on conflict do nothing;
    -- Two workers that start at once declare the same schedule: the second finds the row of the first.
    exit when found;
  end loop;
  return query
    select *
    from holdfast.record_change(cause, 'schedule', name, before, holdfast.schedule_settings(name), reason, actor);
exception
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the schedule %s is missing or out of range: %s.', name,
        holdfast.setting_problem(sqlerrm)),
      hint = 'A schedule needs either task or pipeline, and either cron or every (whole seconds, at most 366 days).'
        ' missed must be skip, last or all; overlap must be allow or skip; the name must have 1 to 100 characters.';
end
$$;
