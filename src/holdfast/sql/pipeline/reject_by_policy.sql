-- running -> scheduled | dead: rejected jobs whose stage does not end them. Returns those that it dealt with.
create or replace function holdfast.reject_by_policy(ids uuid[], tokens uuid[], details jsonb[])
returns uuid[]
language plpgsql volatile
as $$
declare
  job    holdfast.jobs;
  policy text;
  said   jsonb;
  held   uuid[] := '{}';
begin
  perform holdfast.lock_permits(ids);
  for job in
    select j.* from holdfast.jobs as j
    where j.id = any (ids) and j.token = any (tokens)
      and j.stage is not null
    order by j.id
    for update
  loop
    select s.on_reject into policy
    from holdfast.stages as s
    left join holdfast.jobs as p on p.id = job.parent_id and job.pipeline is null
    where s.pipeline = coalesce(job.pipeline, p.pipeline)
      and s.version = coalesce(job.pipeline_version, p.pipeline_version)
      and s.stage = job.stage;
    continue when policy is null or policy = 'end' or job.cancel_asked_at is not null
      or holdfast.place_of(ids, tokens, job.id, job.token) is null;
    held := held || job.id;
    said := coalesce(details[holdfast.place_of(ids, tokens, job.id, job.token)], '{}');
    -- The endpoint did its work: that the handler rejects what came is no failure of it.
    perform holdfast.charge_call(job, holdfast.read_number(said -> 'units'));
    job.in_flight_at_start := null;
    job.reserved := null;
    perform holdfast.fail_job(job, jsonb_build_object(
      'class', case policy when 'retry' then 'transient' else 'permanent' end, 'type', 'Rejected',
      'message', coalesce(said ->> 'reason', 'rejected'), 'units', said -> 'units'
    ));
  end loop;
  return held;
end
$$;
comment on function holdfast.reject_by_policy(uuid[], uuid[], jsonb[]) is 'Retries or buries rejected jobs whose stage says so; returns which.';
