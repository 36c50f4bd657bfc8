-- (nothing) -> new: makes or changes the schedules that an app declares, all of them in one call.
-- schedules is an object of settings by name, as in set_schedule; what an entry leaves out gets its default. Schedules
-- of the app that are not in it stay, and schedule_view says since when they are undeclared. A pause stays. Writes an
-- event only for a schedule whose settings changed.
create or replace function holdfast.declare_schedules(app text, schedules jsonb default '{}')
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  -- The code of the app is the whole truth about its schedules.
  absent constant jsonb := '{"task": null, "pipeline": null, "cron": null, "every": null, "tz": null, "payload": {},
    "options": null, "missed": null, "overlap": null}';
  given  record;
begin
  perform holdfast.check_object('schedules', schedules);
  -- In one order, so that two workers that start at once cannot deadlock.
  perform from holdfast.schedules as s
  where schedules ? s.name or s.app = declare_schedules.app
  order by s.name
  for update;
  for given in select e.key as name, e.value as settings from jsonb_each(schedules) as e order by 1 loop
    perform holdfast.check_object('settings', given.settings);
    perform holdfast.configure_schedule('declare_schedules', given.name, absent || given.settings, null, null);
  end loop;
  update holdfast.schedules as s
  set app = declare_schedules.app,
      undeclared_at = case when not schedules ? s.name then coalesce(s.undeclared_at, holdfast.now()) end
  where (schedules ? s.name or s.app = declare_schedules.app)
    and (s.app is distinct from declare_schedules.app or (s.undeclared_at is null) <> (schedules ? s.name));
end
$$;
