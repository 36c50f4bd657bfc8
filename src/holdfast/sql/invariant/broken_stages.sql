-- Violations of: every stage that a job has left has an output, except branches of a fan-out that did not complete.
create or replace function holdfast.broken_stages(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'stage_without_output', n.id, format('at stage visit %s with the outputs of %s', n.visit, made.outputs)
  from holdfast.newest_jobs(max) as n
  cross join lateral (
    select count(*) as outputs
    from holdfast.stage_outputs as o
    where o.job_id = n.id
      and o.generation = n.generation
      and o.visit < n.visit
  ) as made
  where n.visit > 1
    and n.generation = 1
    and made.outputs <> n.visit - 1
    and not exists (select from holdfast.waits as w where w.job_id = n.id and w.name = 'stages' offset 0)
$$;
