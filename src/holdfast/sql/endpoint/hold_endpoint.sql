-- Whether the endpoint of a locked job could be locked at once. Chores and people never wait for endpoints: they come again.
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
comment on function holdfast.hold_endpoint(holdfast.jobs) is 'Whether the endpoint of a locked job could be locked at once.';
