-- Creates queues that are new, each with its lane.
-- A queue that another open transaction is creating is skipped: a worker never waits for a producer.
create or replace function holdfast.name_queues(queues text[])
returns void
language plpgsql volatile
set lock_timeout = '50ms'
as $$
declare
  q text;
begin
  for q in
    select distinct u from unnest(queues) as u
    where not exists (
      select from holdfast.lanes as l
      where l.queue = u and l.endpoint = '' and l."group" = '' and l.task = '' and not l.is_capped and not l.is_suspect)
    order by u
  loop
    begin
      perform holdfast.find_lane(q, null, null);
    exception
      when lock_not_available then
        -- Its lanes exist once that transaction commits; claims read the lanes each time.
        raise notice 'queue % is being named by an open transaction', q;
    end;
  end loop;
end
$$;
