-- Whether the wait of a locked job is over already: its signal or children are there, or it has timed out.
create or replace function holdfast.wait_is_over(job holdfast.jobs, what text)
returns boolean
language sql volatile
as $$
  select exists (
    select from holdfast.waits as w
    where w.job_id = job.id and w.generation = job.generation and w.visit = job.visit and w.name = what
      and w.until <= holdfast.now()
  ) or case
    when what like 'signal:%' then exists (select from holdfast.find_signal(job, substr(what, 8)))
    else not exists (
      select from holdfast.waits as w
      join holdfast.runs as r on r.id = w.run_id
      where w.job_id = job.id and w.generation = job.generation and w.visit = job.visit and w.name = what
        and not (r.ended_at is not null or r.wait = 'first' and r.completed > 0)
    )
  end
$$;
