-- The class of a failure: a refusal by an endpoint that has worked before is a fault of ours (system).
create or replace function holdfast.class_of(job holdfast.jobs, detail jsonb)
returns text
language plpgsql stable
as $$
begin
  if detail ->> 'class' = 'permanent'
    and detail ->> 'refused' = 'true'
    and job.in_flight_at_start is not null
    and exists (
    select from holdfast.lanes as l
    join holdfast.endpoints as e on e.name = l.endpoint
    where l.lane = coalesce(job.permit_lane, job.lane) and e.delivered_since is not null
  ) then
    return 'system';
  end if;
  return case
    when detail ->> 'class' in ('rate_limited', 'permanent', 'system') then detail ->> 'class'
    else 'transient'
  end;
end
$$;
