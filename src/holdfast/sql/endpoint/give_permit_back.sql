-- Gives the permit of a locked job back, if it still holds one, without a word about the endpoint.
create or replace function holdfast.give_permit_back(job holdfast.jobs)
returns void
language plpgsql volatile
as $$
begin
  if job.in_flight_at_start is not null then
    perform holdfast.settle_permits(
      array[array[coalesce(job.permit_lane, job.lane), extract(epoch from job.started_at), job.in_flight_at_start, job.is_probe::integer, job.estimate, null]::double precision[]],
      false
    );
  end if;
end
$$;
comment on function holdfast.give_permit_back(holdfast.jobs) is 'Gives the permit of a locked job back, if it still holds one.';
