-- Postpones the removal of lanes whose jobs ended in a span of time; writes a lane at most once a day.
-- plan: no seqscan
create or replace function holdfast.keep_lanes(since timestamptz, until timestamptz)
returns void
language sql volatile
as $$
  update holdfast.lanes as l
  set expires_at = holdfast.expiry_if_unused()
  where l.lane = any (array(
    select distinct h.lane
    from holdfast.history as h
    where h.ended_at >= since and h.ended_at < until))
    and l.expires_at < holdfast.expiry_if_unused() - interval '1 day'
$$;
