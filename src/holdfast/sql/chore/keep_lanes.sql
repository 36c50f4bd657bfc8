-- Puts off the removal of lanes whose jobs ended in a span of time; each lane is written at most once a day.
create or replace function holdfast.keep_lanes(since timestamptz, until timestamptz)
returns void
language sql volatile
set jit = off
set enable_seqscan = off
as $$
  update holdfast.lanes as l
  set expires_at = holdfast.keep_until()
  where l.lane = any (array(select distinct h.lane from holdfast.history as h where h.ended_at >= since and h.ended_at < until))
    and l.expires_at < holdfast.keep_until() - interval '1 day'
$$;
comment on function holdfast.keep_lanes(timestamptz, timestamptz) is 'Puts off the removal of lanes whose jobs ended in a span of time.';
