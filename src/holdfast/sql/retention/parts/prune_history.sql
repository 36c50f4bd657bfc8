-- ended -> (nothing): deletes ended jobs past their queue's retention, at most max; returns their ids.
-- A look for the jobs of some queues reads all that others keep for longer. So it reads history a day at a time, more
-- where there is little, for the queues of each retention on their own, and goes on where the last call stopped; the
-- furthest behind comes first.
-- Once a day, when it has come to the end, it starts over: for jobs that were locked, whose dead letter was dealt with,
-- or whose queue was removed. Stops after two seconds, but reads at least one day.
create or replace function holdfast.prune_history(at timestamptz, max integer)
returns uuid[]
language plpgsql volatile
as $$
declare
  stop      constant timestamptz := clock_timestamp() + interval '2 seconds';
  counted   constant timestamptz := holdfast.counted_until();
  -- As text: a year and 360 days are equal as intervals.
  usual     constant text := holdfast.history_retention()::text;
  special   constant text[] := array(
    select q.name from holdfast.queues as q where q.retention::text <> usual order by q.name);
  -- Where the first step ends: before it lie only a backlog and open dead letters.
  earliest  constant timestamptz := at - (
    select least(greatest(max(q.retention), holdfast.history_retention()), interval '10 years')
    from holdfast.queues as q
  );
  known     constant jsonb := coalesce((select c.counts from holdfast.chores as c where c.name = 'prune'), '{}');
  marks     jsonb := '{}';
  old       uuid[] := '{}';
  kept      record;
  reached   timestamptz;
  until     timestamptz;
  began     timestamptz;
  step      interval;
begin
  for kept in
    select
      g.*, (known -> g.mark ->> 'reached')::timestamptz as reached,
      (known -> g.mark ->> 'begun')::timestamptz as begun,
      coalesce((known -> g.mark ->> 'was_whole')::boolean, false) as was_whole
    from (
      -- With another queue a retention starts over. Without queues: all that have the usual one, or are no more.
      select r.*, md5(row(r.retention::text, coalesce(r.queues, special))::text) as mark
      from (
        select min(q.retention) as retention, array_agg(q.name order by q.name) as queues
        from holdfast.queues as q
        where q.retention::text <> usual
        group by q.retention::text
        union all
        select holdfast.history_retention(), null
      ) as r
    ) as g
    order by (known -> g.mark ->> 'reached')::timestamptz + g.retention nulls first
  loop
    reached := kept.reached;
    if reached is null or kept.begun > at or kept.was_whole and kept.begun < at - interval '1 day' then
      reached := '-infinity';
      kept.begun := at;
      kept.was_whole := false;
    end if;
    step := interval '1 day';
    while cardinality(old) < max and clock_timestamp() < stop loop
      until := case when reached = '-infinity' then earliest else reached + step end;
      until := least(until, at - kept.retention, counted);
      if reached >= until then
        kept.was_whole := true;
        exit;
      end if;
      began := clock_timestamp();
      old := old || holdfast.prune_span(kept.queues, special, reached, until, max - cardinality(old));
      exit when cardinality(old) >= max;
      reached := until;
      step := case when clock_timestamp() < began + interval '20 ms' then 2 * step else interval '1 day' end;
    end loop;
    if reached > '-infinity' then
      marks := marks || jsonb_build_object(
        kept.mark,
        jsonb_build_object('begun', kept.begun, 'reached', reached, 'was_whole', kept.was_whole));
    end if;
  end loop;
  perform holdfast.record_maintenance_task('prune', marks);
  return old;
end
$$;
