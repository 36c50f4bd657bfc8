-- running | ended -> the same: stores lines that handlers wrote to their log, redacted; one element per attempt.
-- jobs, attempts, tokens, parts and lines are parallel arrays. lines: a JSON array of [time, level, logger, message];
-- null deletes what was stored of the attempt, which succeeded in a queue that keeps the logs of others only. parts
-- counts from 0: a part that was stored before changes nothing. is_cut: the attempt wrote more than these lines.
-- An attempt keeps 64 KiB; a last line says that the rest was cut. An attempt that was lost may still add its lines,
-- which the token keeps apart from those of other claims. Lines of jobs that are unknown or were pruned are dropped.
-- Returns how many parts were stored.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.save_logs(
  jobs uuid[], attempts integer[], tokens uuid[], parts integer[], lines json[], is_cut boolean[] default '{}'
)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  deleted bigint;
  added   bigint;
  saved   integer;
begin
  with gone as (
    delete from holdfast.attempt_logs as l
    where l.id = any (array(
      select o.id
      from unnest(jobs, attempts, tokens, lines) as u (job, attempt, token, lines)
      cross join lateral (
        select s.id from holdfast.attempt_logs as s
        where s.job_id = u.job and s.attempt = u.attempt and s.token = u.token
        offset 0
      ) as o
      where u.lines is null))
    returning l.size
  )
  select sum(size) into deleted from gone;
  with sent as materialized (
    select u.job, u.attempt, u.token, u.part, k.*
    from unnest(jobs, attempts, tokens, parts, lines, is_cut) as u (job, attempt, token, part, lines, is_cut)
    cross join lateral (
      select coalesce(sum(s.size), 0)::integer as used from holdfast.attempt_logs as s
      where s.job_id = u.job and s.attempt = u.attempt and s.token = u.token and s.part < u.part
    ) as before
    cross join lateral holdfast.fitting_lines(u.lines, before.used, coalesce(u.is_cut, false)) as k
    where u.lines is not null
      and (
        exists (select from holdfast.jobs as j where j.id = u.job and j.attempt >= u.attempt)
        or exists (
          select from holdfast.history as h
          where h.id = u.job and h.attempt >= u.attempt
            and h.ended_at >= coalesce(holdfast.created_at(u.job), '-infinity') - interval '1 minute'
          offset 0))
  ), stored as (
    insert into holdfast.attempt_logs (job_id, attempt, token, part, saved_at, size, times, levels, loggers, messages)
    select job, attempt, token, part, holdfast.now(), size, times, levels, loggers, messages
    from sent
    where cardinality(times) > 0
    order by job, attempt, token, part
    on conflict on constraint attempt_logs_part do nothing
    returning size
  )
  select count(*), sum(size) into saved, added from stored;
  if coalesce(added, 0) <> coalesce(deleted, 0) then
    insert into holdfast.log_size_changes (bytes) values (coalesce(added, 0) - coalesce(deleted, 0));
  end if;
  return saved;
end
$$;
