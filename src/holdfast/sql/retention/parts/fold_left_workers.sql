-- workers -> left_worker_counts: adds workers whose rows the caller has locked and is about to delete.
-- In the same transaction, so that each is counted once however often the caller is killed. Also deletes old counts.
create or replace function holdfast.fold_left_workers(ids uuid[])
returns void
language sql volatile
as $$
  delete from holdfast.left_worker_counts as c
  where c.hour < holdfast.now() - (select s.keep_hours from holdfast.statistics_settings as s);
  -- In the order of the key: two callers lock the same rows in the same order.
  insert into holdfast.left_worker_counts as c (hour, "group", way, workers, processed, failed, released, life_tens)
  select l.hour, l."group", l.way, l.workers, l.processed, l.failed, l.released, l.life_tens
  from holdfast.count_left_workers(ids) as l
  order by l.hour, l."group", l.way
  on conflict on constraint left_worker_counts_pkey do update
    set workers = c.workers + excluded.workers, processed = c.processed + excluded.processed,
        failed = c.failed + excluded.failed, released = c.released + excluded.released,
        life_tens = (
          select jsonb_object_agg(t.tenth, t.workers)
          from (
            select b.key as tenth, sum(b.value::bigint) as workers
            from (
              select * from jsonb_each_text(c.life_tens)
              union all
              select * from jsonb_each_text(excluded.life_tens)
            ) as b
            group by b.key
          ) as t);
$$;
