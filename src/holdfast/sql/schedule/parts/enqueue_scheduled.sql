-- (nothing) -> ready | waiting: stores a job of a schedule and returns its id; with a slot, the job of that slot.
-- The unique key stands for schedule and slot, so that there is one job for both even if the clock was set back. It is
-- kept as long as ended jobs are by default. The job's labels say both too, where handlers and people read them.
create or replace function holdfast.enqueue_scheduled(
  s holdfast.schedules, slot timestamptz, origin text, actor text
)
returns uuid
language plpgsql volatile
as $$
declare
  labels constant jsonb := coalesce(nullif(s.options -> 'labels', 'null'), '{}')
    || jsonb_strip_nulls(jsonb_build_object('schedule', s.name, 'slot', holdfast.slot_words(slot)));
  own    constant jsonb := jsonb_strip_nulls(jsonb_build_object(
    'pipeline', s.pipeline, 'origin', origin, 'actor', actor,
    'unique_key', holdfast.slot_key(s.name, slot),
    'unique_scope', case when slot is not null then 'holdfast.schedule' end,
    'unique_for', case when slot is not null then '30 days' end));
  job    uuid;
begin
  select e.job_id into job
  from holdfast.enqueue_one(coalesce(s.task, s.pipeline), s.payload::json,
    s.options || own || jsonb_build_object('labels', labels)) as e;
  return job;
end
$$;
