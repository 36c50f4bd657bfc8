-- Judges the new jobs of a call by the rules of their tasks, else of their queues, all in one statement.
-- No condition can make an enqueue fail: if one raises an error, each is evaluated on its own, and those that raise one
-- do not hold. outcomes, scores and words are those of judge_jobs. routes: the queue that a rule chose for each job,
-- null if rules chose none. queue: if they chose the same for all jobs, that one; else queues has an element per job,
-- or is null without routes.
create or replace function holdfast.apply_rules(
  made boolean[], tasks text[], payloads json[], o record, own record, place record, at timestamptz,
  out queue text, out queues text[], out outcomes integer[], out scores integer[], out words jsonb[], out routes text[]
)
language plpgsql stable
as $$
#variable_conflict use_variable
declare
  v      record;
  chosen text[];
begin
  begin
    select j.* into v from holdfast.judge_jobs(made, tasks, payloads, o, own, place, at, false) as j;
  exception
    when others then
      select j.* into v from holdfast.judge_jobs(made, tasks, payloads, o, own, place, at, true) as j;
  end;
  outcomes := v.outcomes;
  scores := v.scores;
  words := v.words;
  chosen := (select array_agg(distinct c) from unnest(v.routes) as c where c is not null);
  if chosen is null then
    return;
  end if;
  routes := array(select v.routes[u.number] from unnest(outcomes) with ordinality as u (number, i) order by u.i);
  if cardinality(chosen) = 1 and array_position(v.routes, null) is null then
    queue := chosen[1];
  else
    queues := array(
      select coalesce(routes[i], own.queue[i], o.queue, own.default_queue[i], o.default_queue)
      from generate_series(1, cardinality(outcomes)) as i
    );
  end if;
end
$$;
