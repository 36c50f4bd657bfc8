-- Remembers up to which id events exist, and who may still commit one of these: a day before this moment is complete
-- when they have ended.
create or replace function holdfast.mark_events()
returns jsonb
language plpgsql volatile
as $$
declare
  -- First the number, then the writers: one who takes the lock after the look gets a higher number.
  through constant bigint := pg_sequence_last_value(pg_get_serial_sequence('holdfast.events', 'id')::regclass);
begin
  return jsonb_build_object('through', coalesce(through, 0), 'writers', to_jsonb(holdfast.event_writers()),
    'today', (holdfast.now() at time zone 'UTC')::date);
end
$$;
