-- running -> running: records for people how far jobs have come; one element per job.
-- ids, tokens and reports are parallel arrays. A report is an object: done (a count of items, required), total, failed
-- (counted in done, too), note (what the job is doing, in words), item (the one it is at), and errors: the latest ones
-- of this attempt, [{"item": "page 4", "error": "not found"}], of which five are kept. What a report leaves out or sets
-- to null stays as it was; an empty text removes the text. Texts are redacted, and cut after 500 characters.
-- Returns those that changed nothing: lost (the token is outdated: stop working on the job) or busy (another
-- transaction has locked the job: report again). The last report of an attempt can go with its end, in its detail.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.report_progress(ids uuid[], tokens uuid[], reports jsonb[])
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  problem text;
  held    uuid[];
  stored  uuid[];
begin
  select holdfast.progress_problem(u.report) into problem
  from unnest(ids, reports) as u (id, report)
  where u.id is not null
    and holdfast.progress_problem(u.report) is not null
  limit 1;
  if problem is not null then
    perform holdfast.refuse('HF002', problem, 'Pass reports such as {"done": 3, "total": 10, "item": "page 4"}.');
  end if;
  -- Skips locked jobs: one call carries the reports of a whole worker, and must not wait because of one of them.
  held := array(
    select j.id from holdfast.jobs as j
    where j.id = any (ids) and j.token = any (tokens)
    order by j.id
    for share skip locked);
  stored := holdfast.store_progress(array(
    select r from unnest(holdfast.read_progress(ids, tokens, reports)) as r where r.job_id = any (held)));
  return query
    select
      u.id, case when bool_or(j.id is not null) then 'busy' else 'lost' end
    from unnest(ids, tokens) as u (id, token)
    left join lateral (
      select t.id from holdfast.jobs as t where t.id = u.id and t.token = u.token offset 0
    ) as j on true
    where u.id <> all (stored)
    group by u.id;
end
$$;
