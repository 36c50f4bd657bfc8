-- Deletes the oldest logs of attempts while all of them together exceed the limit of limit_logs.
-- Returns how many parts were deleted, at most max; null while another call is pruning.
create or replace function holdfast.prune_logs(max integer default 1000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  total   bigint;
  excess  bigint;
  freed   bigint;
  newest  timestamptz;
  deleted integer := 0;
begin
  perform holdfast.check_count('max', max);
  if not holdfast.try_lock('prune_logs') then
    return null;
  end if;
  -- Changes that are not committed yet are left for the next round.
  with folded as (
    delete from holdfast.log_size_changes returning bytes
  )
  select coalesce(sum(bytes), 0) into total from folded;
  excess := total - (select s.max_bytes from holdfast.log_storage as s);
  if excess > 0 then
    with oldest as (
      select l.id, l.size, sum(l.size) over (order by l.id) as upto
      from (select o.id, o.size from holdfast.attempt_logs as o order by o.id limit max) as l
    ), gone as (
      delete from holdfast.attempt_logs as l
      using oldest as o
      where l.id = o.id and o.upto - o.size < excess
      returning l.size, l.saved_at
    )
    select count(*), coalesce(sum(g.size), 0), max(g.saved_at) into deleted, freed, newest from gone as g;
    total := total - freed;
    if deleted > 0 then
      update holdfast.log_storage as s
      set removed_at = holdfast.now(), removed_to = greatest(s.removed_to, newest);
    end if;
  end if;
  if total <> 0 then
    insert into holdfast.log_size_changes (bytes) values (total);
  end if;
  return deleted;
end
$$;
