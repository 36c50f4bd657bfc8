-- running -> ready: gives back all jobs that a worker holds. The caller has locked the worker's row.
create or replace function holdfast.release_held(worker uuid)
returns integer
language plpgsql volatile
as $$
declare
  held   uuid[];
  tokens uuid[];
begin
  select array_agg(j.id order by j.id), array_agg(j.token order by j.id) into held, tokens
  from holdfast.jobs as j
  where j.worker_id = worker
    and j.state = 'running';
  if held is not null then
    perform holdfast.release_jobs(held, tokens);
  end if;
  return coalesce(cardinality(held), 0);
end
$$;
