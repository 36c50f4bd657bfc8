-- running -> ready | scheduled | waiting | completed: completes a stage of jobs, keeps its output, and moves each job to the next.
create or replace function holdfast.advance_jobs(ids uuid[], tokens uuid[], outputs json[], details jsonb[])
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  job  holdfast.jobs;
  part record;
  held uuid[];
  i    integer;
begin
  perform holdfast.lock_permits(ids);
  select * into part from holdfast.advance_along(ids, tokens, outputs, details);
  held := coalesce(part.moved, '{}') || coalesce(part.last_ids, '{}');
  if part.woken is not null then
    perform holdfast.notify_ready(part.woken);
  end if;
  if part.last_ids is not null then
    perform holdfast.complete_jobs(part.last_ids, part.last_tokens, part.last_outputs, part.last_details);
  end if;
  if part.permits is not null then
    perform holdfast.settle_permits(part.permits, true);
  end if;
  if cardinality(held) = cardinality(ids) then
    return;
  end if;
  for job in
    select j.*
    from holdfast.jobs as j
    where j.id = any (ids)
      and j.token = any (tokens)
    order by j.id
    for update
  loop
    i := holdfast.place_of(ids, tokens, job.id, job.token);
    continue when i is null;
    held := held || job.id;
    if job.cancel_asked_at is not null then
      perform holdfast.obey_cancel(holdfast.charge_attempt(job, holdfast.read_number(details[i] -> 'units')));
    else
      perform holdfast.advance_job(job, outputs[i], case when jsonb_typeof(details[i]) = 'object' then details[i] else '{}' end);
    end if;
  end loop;
  perform holdfast.notify_ready(array(select distinct j.queue from holdfast.jobs as j where j.id = any (held)));
  return query select u from unnest(ids) as u where u <> all (held);
end
$$;
comment on function holdfast.advance_jobs(uuid[], uuid[], json[], jsonb[]) is 'Completes a stage of running jobs and readies the next; returns those that were lost.';
