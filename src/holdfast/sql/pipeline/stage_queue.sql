-- The queue of a stage: its own word, or pipeline.stage.
create or replace function holdfast.stage_queue(pipeline text, stage jsonb)
returns text
language sql immutable parallel safe
as $$
  select coalesce(stage ->> 'queue', left(pipeline || '.' || (stage ->> 'name'), 200))
$$;
comment on function holdfast.stage_queue(text, jsonb) is 'The queue of a stage as it was declared.';
