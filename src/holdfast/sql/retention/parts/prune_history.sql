-- ended -> (nothing): deletes ended jobs past their queue's retention, at most max; returns their ids.
-- Reads history a day at a time, once for the queues of each retention, and goes on where the last call stopped: a look
-- for the jobs of some queues from the beginning reads all that others keep for longer. Once a day it begins anew, for
-- the jobs that it passed over. Stops after two seconds, but reads at least one day.
create or replace function holdfast.prune_history(at timestamptz, max integer)
returns uuid[]
language plpgsql volatile
as $$
declare
  stop    constant timestamptz := clock_timestamp() + interval '2 seconds';
  counted constant timestamptz := holdfast.counted_until();
  longest constant interval := (
    select greatest(max(q.retention), holdfast.history_retention()) from holdfast.queues as q
  );
  special constant text[] := array(select q.name from holdfast.queues as q where q.retention is not null);
  marks   jsonb := (select c.counts from holdfast.chores as c where c.name = 'prune');
  old     uuid[] := '{}';
  gone    uuid[];
  kept    record;
  since   timestamptz;
  until   timestamptz;
begin
  if coalesce((marks ->> 'begun')::timestamptz not between at - interval '1 day' and at, true) then
    marks := jsonb_build_object('begun', at);
  end if;
  for kept in
    -- The mark is that of a retention and its queues: with another queue it begins anew.
    select r.retention, r.queues, md5(row(r.retention, r.queues)::text) as mark
    from (
      select q.retention, array_agg(q.name order by q.name) as queues
      from holdfast.queues as q
      where q.retention is not null
      group by q.retention
      union all
      select holdfast.history_retention(), null
    ) as r
    order by r.retention
  loop
    loop
      -- What is older than the longest retention comes at once: there is not much of it.
      since := coalesce((marks ->> kept.mark)::timestamptz, '-infinity');
      until := case when since = '-infinity' then at - longest else since + interval '1 day' end;
      until := least(until, at - kept.retention, counted);
      exit when since >= until;
      with past as (
        select h.id, h.ended_at
        from holdfast.history as h
        where h.ended_at >= since
          and h.ended_at < until
          and case when kept.queues is null then h.queue <> all (special) else h.queue = any (kept.queues) end
          -- An open dead letter outlives its job's retention.
          and (h.state <> 'dead' or not exists (
            select from holdfast.dead_letters as d
            where d.job_id = h.id and d.status in ('open', 'investigating') and d.replayed_at is null))
        limit max - cardinality(old)
        for update of h skip locked
      ), removed as (
        delete from holdfast.history as h using past as p where h.id = p.id and h.ended_at = p.ended_at returning h.id
      )
      select coalesce(array_agg(r.id), '{}') into gone from removed as r;
      old := old || gone;
      exit when cardinality(old) >= max;
      marks := marks || jsonb_build_object(kept.mark, until);
      exit when clock_timestamp() > stop;
    end loop;
    exit when cardinality(old) >= max or clock_timestamp() > stop;
  end loop;
  perform holdfast.record_maintenance_task('prune', marks);
  return old;
end
$$;
