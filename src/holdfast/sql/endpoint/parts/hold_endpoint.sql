-- Tries to lock the endpoint of a locked job. Maintenance tasks and operators never wait for endpoints: they try again.
create or replace function holdfast.hold_endpoint(job holdfast.jobs)
returns boolean
language plpgsql volatile
as $$
begin
  if job.in_flight_at_start is null then
    return true;
  end if;
  perform from holdfast.endpoints as e
  where e.name = (select l.endpoint from holdfast.lanes as l where l.lane = coalesce(job.permit_lane, job.lane))
  for update skip locked;
  return found;
end
$$;
