-- Locks the endpoints of lanes by name, waiting if necessary. Lock order: the caller has locked all its jobs.
-- A waiting transaction pins the row's page, which cannot be pruned then: only one waits there, others on a lock row.
create or replace function holdfast.lock_endpoints(of_lanes integer[])
returns void
language plpgsql volatile
as $$
declare
  endpoint text;
begin
  for endpoint in
    select distinct l.endpoint from holdfast.lanes as l where l.lane = any (of_lanes) order by l.endpoint
  loop
    -- The holder of the row never takes the second lock, so the two cannot deadlock.
    perform from holdfast.endpoints as e where e.name = endpoint for update skip locked;
    if not found then
      -- This row never changes, so its page needs no pruning.
      perform from holdfast.locks as k where k.name = 'endpoint ' || endpoint for update;
      perform from holdfast.endpoints as e where e.name = endpoint for update;
    end if;
  end loop;
end
$$;
