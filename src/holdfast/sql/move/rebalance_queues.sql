-- ready -> ready, in another queue: moves jobs between the pairs of set_rebalance, by the sampled depths.
-- A pair is out of balance if (ready + 1) / (ready + 1) exceeds its ratio. A round moves at most what makes the two
-- equal, and at most max_jobs, of those that satisfy the condition, as move_jobs does. result of each pair: moved,
-- none_eligible, balanced, shallow, paused, not_sampled (wait a minute for the next sample), and with dry_run
-- would_move instead of moved. Does nothing if the last round is less than every ago, or another call is moving.
create or replace function holdfast.rebalance_queues(
  dry_run boolean default false, every interval default '0', reason text default null, actor text default null
)
returns table (
  from_queue text, to_queue text, from_ready bigint, to_ready bigint, ratio double precision, jobs integer, result text
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  last   constant timestamptz := (
    select (c.counts ->> 'round')::timestamptz from holdfast.chores as c where c.name = 'rebalance');
  pair    record;
  chosen  uuid[];
  changed text[] := '{}';
  round   jsonb := '[]';
begin
  if not exists (select from holdfast.rebalance_pairs) or last > holdfast.now() - every
    or not holdfast.try_lock('rebalance') then
    return;
  end if;
  perform holdfast.sample_depths();
  for pair in select d.* from holdfast.pair_depths() as d loop
    result := pair.result;
    chosen := '{}';
    -- A move of this round changes the depths of its two queues.
    if result <> 'paused' and changed && array[pair.from_queue, pair.to_queue] then
      result := 'not_sampled';
    elsif result = 'move' then
      chosen := holdfast.movable_jobs(
        pair.from_queue, 'ready', least(pair.max_jobs, (pair.from_ready - pair.to_ready) / 2)::integer, pair.condition);
      result := case when chosen <> '{}' then 'would_move' else 'none_eligible' end;
    end if;
    if result = 'would_move' and not dry_run then
      changed := changed || pair.from_queue || pair.to_queue;
    end if;
    round := round || jsonb_build_object('from_queue', pair.from_queue, 'to_queue', pair.to_queue, 'from_ready',
      pair.from_ready, 'to_ready', pair.to_ready, 'ratio', pair.ratio, 'result', result, 'chosen', chosen);
  end loop;
  -- Lock order: the lanes of all pairs are made before any job is locked, in the order of an enqueue, so that a claim
  -- never waits for a producer's new lane.
  for pair in
    select r.*
    from jsonb_to_recordset(round) as r (from_queue text, to_queue text, result text, chosen uuid[])
    where r.result = 'would_move' and not dry_run
    order by r.to_queue
  loop
    perform from holdfast.new_places(pair.chosen, pair.from_queue, pair.to_queue);
  end loop;
  for from_queue, to_queue, from_ready, to_ready, ratio, result, chosen in
    select r.*
    from jsonb_to_recordset(round) as r (
      from_queue text, to_queue text, from_ready bigint, to_ready bigint, ratio double precision, result text,
      chosen uuid[])
  loop
    jobs := cardinality(chosen);
    if result = 'would_move' and not dry_run then
      jobs := (select m.ready from holdfast.move_chosen(chosen, from_queue, to_queue, 'rebalance',
        coalesce(reason, format('%s to %s ready jobs: more than %s to 1', from_ready, to_ready, ratio)), actor) as m);
      update holdfast.rebalance_pairs as r
      set moved_at = holdfast.now()
      where r.from_queue = rebalance_queues.from_queue and r.to_queue = rebalance_queues.to_queue;
      result := 'moved';
    end if;
    return next;
  end loop;
  if not dry_run then
    perform holdfast.record_maintenance_task('rebalance', jsonb_build_object('round', holdfast.now()));
  end if;
end
$$;
