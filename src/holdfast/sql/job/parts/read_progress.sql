-- The reports of jobs whose token is valid as rows of progress, at most one for each job, by id.
-- Reports with a problem are left out. Null if there are none.
create or replace function holdfast.read_progress(ids uuid[], tokens uuid[], reports jsonb[])
returns holdfast.progress[]
language sql volatile
as $$
  select array_agg(row(p.*)::holdfast.progress order by p.job_id)
  from (
    select distinct on (u.id)
      u.id, u.token, (u.report ->> 'done')::bigint, (u.report ->> 'total')::bigint, (u.report ->> 'failed')::bigint,
      left(holdfast.sanitise_text(u.report ->> 'note'), 500), left(holdfast.sanitise_text(u.report ->> 'item'), 500),
      holdfast.latest_errors(u.report -> 'errors'), holdfast.now(), (u.report ->> 'done')::bigint, holdfast.now()
    from unnest(ids, tokens, reports) with ordinality as u (id, token, report, place)
    cross join lateral (select from holdfast.jobs as j where j.id = u.id and j.token = u.token offset 0) as held
    where holdfast.progress_problem(u.report) is null
    order by u.id, u.place desc
  ) as p (job_id, token, done, total, failed, note, item, errors, first_at, first_done, updated_at)
$$;
