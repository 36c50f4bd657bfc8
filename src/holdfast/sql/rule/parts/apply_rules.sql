-- Judges the new jobs of a call by the rules of their tasks, else of their queues, all in one statement.
-- No condition can make an enqueue fail: if one raises an error, each is evaluated on its own, and those that raise one
-- do not hold. priorities and matched: an element per job. routes: the queues that rules chose, null if none.
-- queue: if they chose the same for all jobs, that one; else queues has an element per job, or is null without routes.
create or replace function holdfast.apply_rules(
  made boolean[], tasks text[], payloads json[], o record, own record, place record, at timestamptz,
  out queue text, out queues text[], out priorities integer[], out matched jsonb[], out routes text[]
)
language plpgsql stable
as $$
declare
  v record;
begin
  begin
    select j.* into v from holdfast.judge_jobs(made, tasks, payloads, o, own, place, at, false) as j;
  exception
    when others then
      select j.* into v from holdfast.judge_jobs(made, tasks, payloads, o, own, place, at, true) as j;
  end;
  queue := case when v.is_routed and cardinality(v.routes) = 1 then v.routes[1] end;
  queues := case when queue is null and v.routes is not null then v.queues end;
  priorities := v.priorities;
  matched := v.matched;
  routes := v.routes;
end
$$;
