-- The pipeline that a job's stage belongs to: a branch works on a stage of its parent's, live or ended.
create or replace function holdfast.pipeline_of(pipeline text, stage text, parent uuid)
returns text
language sql stable
as $$
  select case
    when pipeline is not null or stage is null then pipeline
    else coalesce(
      (select j.pipeline from holdfast.jobs as j where j.id = parent),
      (select h.pipeline from holdfast.history as h where h.id = parent order by h.ended_at desc limit 1))
  end
$$;
