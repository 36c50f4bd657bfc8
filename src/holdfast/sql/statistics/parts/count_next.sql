-- Counts the minute from until on, or looks at a wider span: returns until when it was counted or quiet.
-- After a minute without anything the spans double as long as they are quiet, because a look costs the same however
-- long the span is; the last one, which is not, is halved until a minute is left of it.
create or replace function holdfast.count_next(
  inout until timestamptz, this timestamptz, inout width interval, inout factor double precision, out written integer
)
language plpgsql volatile
as $$
declare
  minute constant interval := '1 minute';
  next   constant timestamptz := least(this, until + width);
begin
  written := 0;
  if width = minute then
    written := holdfast.summarise_minutes(until, next);
    perform holdfast.keep_lanes(until, next);
    until := next;
    width := case when written = 0 then 2 * minute else minute end;
    factor := 2;
  elsif holdfast.is_quiet(until, next) then
    until := next;
    width := greatest(minute, width * factor);
  else
    factor := 0.5;
    width := width * factor;
  end if;
end
$$;
