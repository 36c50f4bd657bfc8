-- ready | scheduled -> the same, in another queue: moves up to n jobs, ready ones first, in the order of claims.
-- Running and waiting jobs stay, and so do suspects, jobs of pipelines, and jobs whose row is locked. A moved job keeps
-- its id, keys, run, group, attempts and its place by age. The endpoint, priority and timeout that it has from its old
-- queue are replaced by those of the other; its own are kept. A paused queue may be either of the two. Needs a reason.
-- Returns how many moved. n is 1 to 10,000; call again to move more.
create or replace function holdfast.move_jobs(
  from_queue text, to_queue text, n integer, reason text, actor text default null,
  out ready integer, out scheduled integer
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  chosen uuid[];
begin
  perform holdfast.check_reason(reason);
  if n is null or n not between 1 and 10000 then
    perform holdfast.refuse('HF002',
      format('n must be at least 1 and at most 10000 (got %s).', coalesce(n::text, 'null')),
      'Pass the largest number of jobs to move, and call again for more.');
  end if;
  perform holdfast.check_move(from_queue, to_queue);
  chosen := holdfast.movable_jobs(from_queue, 'ready', n, null);
  if cardinality(chosen) < n then
    chosen := chosen || holdfast.movable_jobs(from_queue, 'scheduled', n - cardinality(chosen), null);
  end if;
  select m.ready, m.scheduled into ready, scheduled
  from holdfast.move_chosen(chosen, from_queue, to_queue, 'move_jobs', reason, actor) as m;
end
$$;
