-- dead -> ready | waiting: replays the oldest dead letters that fit a filter. Call it again for the rest: none is taken twice.
create or replace function holdfast.replay_dead_letters(
  filter jsonb default '{}', max integer default 100, reason text default null, actor text default null
)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
-- From letter to job by index, whatever the statistics say.
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  ids uuid[];
begin
  perform holdfast.check_filter(filter,
    array['queue', 'task', 'reason', 'class', 'fingerprint', 'status', 'assignee', 'run', 'since', 'until']);
  ids := array(
    select h.id
    from holdfast.dead_letters as d
    join holdfast.history as h on h.id = d.job_id and h.state = 'dead'
    where holdfast.dead_letter_matches(d, filter)
      and (filter ? 'status' or d.status in ('open', 'investigating'))
    order by d.died_at, d.job_id
    limit least(max, 10000)
    -- The job's row, as replay_jobs does: locking the letter first could end in a deadlock with it.
    for update of h skip locked
  );
  return query select r.job_id, r.result from holdfast.replay_jobs(ids, reason, actor) as r;
end
$$;
comment on function holdfast.replay_dead_letters(jsonb, integer, text, text)
  is 'Replays up to max dead letters that fit a filter and are open or under investigation, oldest first.';
