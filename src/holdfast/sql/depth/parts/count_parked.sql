-- Counts the next waiting and scheduled jobs of a lane, by their index alone.
-- place: where the last call stopped. rest is the next place, null at the end.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.count_parked(in_lane integer, place jsonb, chunk integer,
  out waiting bigint, out scheduled bigint, out rest jsonb)
language plpgsql stable
as $$
declare
  last_state text := coalesce(place ->> 'state', '');
  last       uuid := coalesce((place ->> 'id')::uuid, '00000000-0000-0000-0000-000000000000');
begin
  select count(*) filter (where c.state = 'waiting'), count(*) filter (where c.state = 'scheduled'),
    max(c.state) filter (where c.n = chunk), (array_agg(c.id) filter (where c.n = chunk))[1]
  into waiting, scheduled, last_state, last
  from (
    select f.state, f.id, row_number() over () as n
    from (
      select j.state, j.id
      from holdfast.jobs as j
      where j.lane = in_lane and j.state in ('waiting', 'scheduled') and (j.state, j.id) > (last_state, last)
      order by j.state, j.id
      limit chunk
    ) as f
  ) as c;
  if waiting + scheduled = chunk then
    rest := jsonb_build_object('part', 'parked', 'state', last_state, 'id', last);
  end if;
end
$$;
