-- The lines of one part of a log as columns: redacted, as many as fit into the 64 KiB of an attempt, used included.
-- Each costs the bytes of its logger and message, and 32 for time and level.
create or replace function holdfast.fitting_lines(
  lines json, used integer, is_cut boolean,
  out times timestamptz[], out levels text[], out loggers text[], out messages text[], out size integer
)
language plpgsql stable
as $$
declare
  room constant integer := 65536 - used;
  fits boolean;
begin
  -- Each text is redacted once: offset 0 keeps the planner from moving the call into every use of it.
  with line as (
    select e.line ->> 0 as at, e.line ->> 1 as level, left(holdfast.sanitise_text(e.line ->> 2), 200) as logger,
      holdfast.sanitise_text(e.line ->> 3) as message, e.i
    from json_array_elements(lines) with ordinality as e (line, i)
    offset 0
  ), counted as (
    select l.*, sum(32 + octet_length(l.logger) + octet_length(l.message)) over (order by l.i) as upto
    from line as l
  )
  select
    coalesce(array_agg(at::timestamptz order by i) filter (where upto <= room), '{}'),
    coalesce(array_agg(left(level, 20) order by i) filter (where upto <= room), '{}'),
    coalesce(array_agg(logger order by i) filter (where upto <= room), '{}'),
    coalesce(array_agg(message order by i) filter (where upto <= room), '{}'),
    coalesce(max(upto) filter (where upto <= room), 0),
    coalesce(bool_and(upto <= room), true)
  into times, levels, loggers, messages, size, fits
  from counted;
  if (is_cut or not fits) and room > 0 then
    times := times || coalesce(times[cardinality(times)], holdfast.now());
    levels := levels || 'WARNING'::text;
    loggers := loggers || 'holdfast'::text;
    messages := messages || 'The rest was cut: an attempt keeps 64 KiB of its log.'::text;
    size := greatest(size, room);  -- later parts have no room
  end if;
end
$$;
