-- Continues a digest over the sealed events after one id and through another, in the order of their ids.
-- Reads at most max of them, one at a time; last_id is the last one read, null if there was none.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.digest_events(
  after_id bigint, through_id bigint, max bigint, inout digest bytea, out events bigint, out last_id bigint
)
language plpgsql stable
as $$
declare
  e holdfast.events;
begin
  events := 0;
  for e in
    select t.*
    from holdfast.events as t
    where t.id > after_id
      and t.id <= through_id
      and (t.job_id is null or t.actor is not null or t.to_state in ('rejected', 'cancelled', 'dead'))
    order by t.id
    limit max
  loop
    digest := sha256(digest || convert_to(holdfast.event_text(e), 'UTF8'));
    events := events + 1;
    last_id := e.id;
  end loop;
end
$$;
