-- Whether a worker runs a suspect, so that it claims nothing else.
create or replace function holdfast.runs_alone(worker holdfast.workers)
returns boolean
language sql stable
as $$
  select worker.alone_with is not null
    and exists (
      select from holdfast.jobs as j
      where j.id = worker.alone_with and j.worker_id = worker.id and j.state = 'running')
$$;
