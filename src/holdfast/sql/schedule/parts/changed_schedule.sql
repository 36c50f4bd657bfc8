-- A schedule with the given keys of its settings; given without nulls is what is not the default.
-- A task replaces a pipeline, and cron an interval, and the other way round.
create or replace function holdfast.changed_schedule(s holdfast.schedules, settings jsonb, given jsonb)
returns holdfast.schedules
language plpgsql stable
as $$
begin
  s.task := case when settings ? 'task' then given ->> 'task' when not given ? 'pipeline' then s.task end;
  s.pipeline := case when settings ? 'pipeline' then given ->> 'pipeline' when not given ? 'task' then s.pipeline end;
  s.cron := case when settings ? 'cron' then given ->> 'cron' when not given ? 'every' then s.cron end;
  s.every := case
    -- In hours: a day would depend on the session's time zone.
    when settings ? 'every' then make_interval(secs => extract(epoch from holdfast.read_interval(given -> 'every')))
    when not given ? 'cron' then s.every
  end;
  s.tz := coalesce(given ->> 'tz', case when not settings ? 'tz' then s.tz end, 'UTC');
  s.payload := coalesce(
    nullif(settings -> 'payload', 'null'), case when not settings ? 'payload' then s.payload end, '{}');
  s.options := coalesce(
    nullif(settings -> 'options', 'null'), case when not settings ? 'options' then s.options end, '{}');
  s.missed := coalesce(given ->> 'missed', case when not settings ? 'missed' then s.missed end, 'last');
  s.overlap := coalesce(given ->> 'overlap', case when not settings ? 'overlap' then s.overlap end, 'allow');
  return s;
end
$$;
