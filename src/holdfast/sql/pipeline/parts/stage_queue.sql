-- The queue of a stage: the one it names, else pipeline.stage.
create or replace function holdfast.stage_queue(pipeline text, stage jsonb)
returns text
language sql immutable parallel safe
as $$
  select coalesce(stage ->> 'queue', left(pipeline || '.' || (stage ->> 'name'), 200))
$$;
