-- Stores reports of locked jobs; returns the jobs. The first report of a claim is where its rate begins.
create or replace function holdfast.store_progress(reports holdfast.progress[])
returns uuid[]
language sql volatile
as $$
  with stored as (
    insert into holdfast.progress as p
    select r.* from unnest(reports) as r
    on conflict (job_id) do update
      set token = excluded.token,
          done = excluded.done,
          total = coalesce(excluded.total, p.total),
          failed = coalesce(excluded.failed, p.failed),
          note = coalesce(excluded.note, p.note),
          item = coalesce(excluded.item, p.item),
          errors = coalesce(excluded.errors, p.errors),
          first_at = case when p.token = excluded.token then p.first_at else excluded.first_at end,
          first_done = case when p.token = excluded.token then p.first_done else excluded.first_done end,
          updated_at = excluded.updated_at
    returning p.job_id
  )
  select coalesce(array_agg(s.job_id), '{}') from stored as s
$$;
