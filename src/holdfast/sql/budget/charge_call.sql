-- The call of a locked job went well: its permit goes back, and its run pays what it used. One that does not say used what it reserved.
create or replace function holdfast.charge_call(job holdfast.jobs, used double precision)
returns void
language plpgsql volatile
as $$
begin
  if job.in_flight_at_start is not null then
    perform holdfast.settle_permits(holdfast.permit_of(job, used), true);
    used := coalesce(used, job.reserved_units, job.estimate);
  end if;
  if job.reserved is not null then
    perform holdfast.record_cost(job.run_id, coalesce(job.permit_lane, job.lane), used);
  end if;
end
$$;
comment on function holdfast.charge_call(holdfast.jobs, double precision) is 'Charges the call of a locked job that went well to its endpoint and its run.';
