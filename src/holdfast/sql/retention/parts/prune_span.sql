-- Deletes up to max jobs of these queues that ended in a span of time; returns their ids. Without queues: those of all
-- queues but the special ones. An open dead letter outlives its job's retention.
create or replace function holdfast.prune_span(
  queues text[], special text[], since timestamptz, until timestamptz, max integer
)
returns uuid[]
language plpgsql volatile
as $$
declare
  gone uuid[];
begin
  with past as (
    select h.id, h.ended_at
    from holdfast.history as h
    where h.ended_at >= since
      and h.ended_at < until
      and case when queues is null then h.queue <> all (special) else h.queue = any (queues) end
      and (h.state <> 'dead' or not holdfast.has_open_letter(h.id))
    limit max
    for update of h skip locked
  ), removed as (
    delete from holdfast.history as h using past as p where h.id = p.id and h.ended_at = p.ended_at returning h.id
  )
  select coalesce(array_agg(r.id), '{}') into gone from removed as r;
  return gone;
end
$$;
