-- running -> waiting | ready | dead | cancelled: parks locked jobs until a signal or their children arrive.
create or replace function holdfast.settle_waits(ids uuid[], details jsonb[])
returns void
language plpgsql volatile
as $$
declare
  at        constant timestamptz := holdfast.now();
  one       record;
  job       holdfast.jobs;
  what      text;
  later     holdfast.jobs[];
  cancelled holdfast.jobs[];
  invalid   uuid[];
begin
  for one in select h.job, h.detail from holdfast.read_held(ids, details) as h loop
    what := left(one.detail ->> 'for', 220);
    job := holdfast.charge_attempt(one.job, holdfast.read_number(one.detail -> 'units'));
    if job.cancel_asked_at is not null then
      cancelled := cancelled || job;
      continue;
    elsif coalesce(what, '') !~ '^(signal|children):.' then
      perform holdfast.save_counters(array[job]);
      invalid := invalid || job.id;
      continue;
    end if;
    insert into holdfast.waits (job_id, generation, visit, name, until, began_at)
    values (job.id, job.generation, job.visit, what,
      at + make_interval(secs => least(3153600000, holdfast.read_number(one.detail -> 'timeout'))), at)
    -- A retried wait keeps its first timeout.
    on conflict do nothing;
    -- Under the job's lock, which a signal or a finished child takes too: one of the two sees the other.
    if holdfast.wait_is_over(job, what) then
      job.deferred_since := null;
      job.due_at := at;
      later := later || job;
    else
      perform holdfast.park(job, case when what like 'children:%' then 'children' else what end,
        (select w.until
         from holdfast.waits as w
         where w.job_id = job.id and w.generation = job.generation and w.visit = job.visit and w.name = what));
    end if;
  end loop;
  if invalid is not null then
    perform holdfast.settle_failures(invalid, array_fill(
      '{"class": "permanent", "type": "BadWait", "message": "A wait must be signal:NAME or children:NAME."}'::jsonb,
      array[cardinality(invalid)]));
  end if;
  perform holdfast.follow_ends('wait', later, cancelled, null, null);
  perform holdfast.notify_ready(array(select distinct n.queue from unnest(later) as n));
end
$$;
