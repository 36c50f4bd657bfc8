-- running -> scheduled | dead: locked jobs whose stage turns a rejection into a retry or a dead letter. Returns them.
create or replace function holdfast.reject_by_policy(ids uuid[], details jsonb[])
returns uuid[]
language plpgsql volatile
as $$
declare
  one     record;
  used    double precision;
  failed  uuid[] := '{}';
  reports jsonb[] := '{}';
begin
  for one in
    select h.job, h.detail, s.on_reject
    from holdfast.read_held(ids, details) as h
    -- offset 0: one look by id for each, however many rows the planner expects of read_held.
    left join lateral (
      select t.pipeline, t.pipeline_version from holdfast.jobs as t where t.id = (h.job).parent_id offset 0
    ) as p on (h.job).pipeline is null
    join holdfast.stages as s
      on s.pipeline = coalesce((h.job).pipeline, p.pipeline)
      and s.version = coalesce((h.job).pipeline_version, p.pipeline_version)
      and s.stage = (h.job).stage
    where s.on_reject <> 'end'
      and (h.job).cancel_asked_at is null
  loop
    -- The endpoint has answered; a rejection is no failure of the endpoint.
    used := holdfast.read_number(one.detail -> 'units');
    if (one.job).in_flight_at_start is not null then
      perform holdfast.settle_permits(array[holdfast.permit_of(one.job, used)], true);
    end if;
    if (one.job).reserved is not null then
      perform holdfast.record_costs(jsonb_build_array(holdfast.cost_of(one.job, used, true)));
    end if;
    -- The failure below charges the units that were reported; without a report the call is charged its estimate.
    update holdfast.jobs as j
    set in_flight_at_start = null,
        reserved = null,
        cost = case when used is null then holdfast.cost_after(one.job, null, true) else j.cost end
    where j.id = (one.job).id;
    failed := failed || (one.job).id;
    reports := reports || jsonb_build_object(
      'class', case one.on_reject when 'retry' then 'transient' else 'permanent' end, 'type', 'Rejected',
      'message', coalesce(one.detail ->> 'reason', 'rejected'), 'units', one.detail -> 'units'
    );
  end loop;
  if cardinality(failed) > 0 then
    perform holdfast.settle_failures(failed, reports);
  end if;
  return failed;
end
$$;
