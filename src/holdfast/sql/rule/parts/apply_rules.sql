-- Judges the new jobs of a call by the rules of their tasks, else of their queues, all in one statement.
-- No condition can make an enqueue fail: if one raises an error, each is evaluated on its own, and those that raise one
-- do not hold. priorities, queues and matched: an element per job. routes: the queues that rules chose, null if none.
create or replace function holdfast.apply_rules(
  made boolean[], tasks text[], payloads json[], o record, own record, place record, at timestamptz,
  out queues text[], out priorities integer[], out matched jsonb[], out routes text[]
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
  queues := v.queues;
  priorities := v.priorities;
  matched := v.matched;
  routes := v.routes;
end
$$;
