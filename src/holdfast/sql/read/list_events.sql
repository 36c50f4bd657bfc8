-- Returns sealed and unsealed events of audit_view that match a filter, newest first; at most max (up to 1000).
-- filter: since, until, actor, login, cause, queue, job. For the next page pass the id of the last row as before. Looks
-- at 10,000 events per call: a last row that has only an id is not a match, but the place to continue from.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.list_events(
  filter jsonb default '{}', before bigint default null, max integer default 100
)
returns setof holdfast.audit_view
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  since  timestamptz;
  until  timestamptz;
  e      holdfast.audit_view;
  looked integer := 0;
  given  integer := 0;
begin
  perform holdfast.check_count('max', max);
  perform holdfast.check_filter(filter, array['since', 'until', 'actor', 'login', 'cause', 'queue', 'job']);
  since := filter ->> 'since';
  until := filter ->> 'until';
  for e in
    select t.*
    from holdfast.audit_view as t
    where t.id < coalesce(before, 9223372036854775807)
      -- An event may be in the seal of the day before or after its own, so a whole day is added on either side.
      and t.id > coalesce((select s.through_id from holdfast.event_seals as s
        where s.day < (since at time zone 'UTC')::date - 1 order by s.day desc limit 1), 0)
      and t.id <= coalesce((select s.through_id from holdfast.event_seals as s
        where s.day > (until at time zone 'UTC')::date order by s.day limit 1), 9223372036854775807)
    order by t.id desc
    limit 10000
  loop
    exit when given >= least(max, 1000);
    looked := looked + 1;
    if holdfast.event_matches(e, filter) then
      given := given + 1;
      return next e;
    end if;
  end loop;
  if looked = 10000 and given < least(max, 1000) then
    return query select (jsonb_populate_record(null::holdfast.audit_view, jsonb_build_object('id', e.id))).*;
  end if;
end
$$;
