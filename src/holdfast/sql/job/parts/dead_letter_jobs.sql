-- running | ready | scheduled | waiting -> dead: ends locked jobs and writes their dead letters, or reopens them.
-- The rows hold the counters that the caller set; permits have been given back.
create or replace function holdfast.dead_letter_jobs(jobs holdfast.jobs[], reasons text[])
returns void
language plpgsql volatile
as $$
declare
  ids constant uuid[] := array(select n.id from unnest(jobs) as n);
begin
  perform holdfast.save_counters(jobs);
  perform holdfast.end_jobs(ids, null, 'dead', null, reasons);
  insert into holdfast.dead_letters (
    job_id, generation, queue, task, run_id, reason, class, error_type, message, place, fingerprint, died_at
  )
  select
    n.id, n.generation, n.queue, n.task, n.run_id, reasons[n.ordinality],
    a.class, a.error_type, a.message, a.place, coalesce(a.fingerprint, reasons[n.ordinality]), holdfast.now()
  from unnest(jobs) with ordinality as n
  left join lateral (
    -- Errors of an earlier generation or stage are not the cause.
    select * from holdfast.attempts as t where t.job_id = n.id and t.visit = n.visit order by t.attempt desc limit 1
  ) as a on true
  order by n.id
  on conflict (job_id) do update
    set generation = excluded.generation,
        queue = excluded.queue,
        task = excluded.task,
        reason = excluded.reason,
        class = excluded.class,
        error_type = excluded.error_type,
        message = excluded.message,
        place = excluded.place,
        fingerprint = excluded.fingerprint,
        died_at = excluded.died_at,
        status = 'open',
        replayed_at = null;
end
$$;
