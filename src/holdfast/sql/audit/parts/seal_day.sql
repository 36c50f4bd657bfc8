-- Continues to seal a day that is over, as far as max events go; true when the day is sealed.
-- state: the mark that was taken after the day, and how far the digest of the day has come.
create or replace function holdfast.seal_day(of_day date, max integer, inout state jsonb, out events integer,
  out is_sealed boolean)
language plpgsql volatile
as $$
declare
  last  holdfast.event_seals;
  new   holdfast.event_seals;
  found_now record;
begin
  select s.* into last from holdfast.event_seals as s order by s.day desc limit 1;
  if state ->> 'day' is distinct from of_day::text then
    state := state || jsonb_build_object('day', of_day, 'at', coalesce(last.through_id, 0), 'events', 0,
      'digest', '', 'until', (
        select e.id
        from holdfast.audit_view as e
        where e.id > coalesce(last.through_id, 0)
          and e.id <= (state ->> 'through')::bigint
          and e.at < (of_day + 1)::timestamp at time zone 'UTC'
        order by e.id desc
        limit 1));
  end if;
  new.day := of_day;
  new.after_id := coalesce(last.through_id, 0);
  new.through_id := coalesce((state ->> 'until')::bigint, new.after_id);
  found_now := holdfast.digest_events((state ->> 'at')::bigint, new.through_id, max, decode(state ->> 'digest', 'hex'));
  events := found_now.events;
  new.events := (state ->> 'events')::bigint + events;
  new.digest := encode(found_now.digest, 'hex');
  is_sealed := events < max;
  if not is_sealed then
    state := state || jsonb_build_object('at', found_now.last_id, 'events', new.events, 'digest', new.digest);
    return;
  end if;
  new.previous := coalesce(last.seal, repeat('0', 64));
  new.sealed_at := holdfast.now();
  new.seal := holdfast.seal_of(new);
  insert into holdfast.event_seals select new.*;
end
$$;
