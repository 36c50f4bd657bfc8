-- Raises an error unless the caller holds the token of each parent; locks the parents until the transaction ends.
create or replace function holdfast.check_parents(parents uuid[], tokens uuid[])
returns void
language plpgsql volatile
as $$
declare
  claimed record;
begin
  for claimed in
    select distinct parent, token
    from unnest(parents, tokens) as u (parent, token)
    where parent is not null
    order by parent
  loop
    if claimed.token is null then
      perform holdfast.refuse('HF002',
        format('Only the worker that runs the job %s can enqueue child jobs of that job.', claimed.parent),
        'Enqueue child jobs in the handler, with ctx.enqueue or ctx.spawn. In SQL, pass the token of the running'
        ' attempt as parent_token.');
    end if;
    perform from holdfast.jobs as j where j.id = claimed.parent and j.token = claimed.token for share;
    if not found then
      perform holdfast.refuse('HF006', format('The job %s no longer belongs to this worker.', claimed.parent),
        'Stop working on the job: another worker has it.');
    end if;
  end loop;
end
$$;
