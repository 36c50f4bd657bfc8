-- waiting -> ready | scheduled: moves order keys forward whose first job ended while a producer held the key.
-- The end of a job does not wait for a producer's open transaction; it leaves a note, which this maintenance task works
-- off.
-- Returns how many keys moved.
create or replace function holdfast.advance_order_keys(max integer default 1000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  keys text[];
begin
  perform holdfast.check_count('max', max);
  with notes as (
    select o.id from holdfast.order_releases as o order by o.id limit max for update skip locked
  ), taken as (
    delete from holdfast.order_releases as r using notes as n where r.id = n.id returning r.key
  )
  select array_agg(distinct key) into keys from taken;
  return coalesce(holdfast.move_up(keys, holdfast.now()), 0);
end
$$;
