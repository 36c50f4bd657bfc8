-- Counts the jobs that run under a limit. No stored counter: ends cost nothing, and no crash can leave it wrong.
create or replace function holdfast.count_limited(l holdfast.limits)
returns integer
language plpgsql stable
as $$
begin
  if not l.is_settled then
    -- Jobs that started before the limit was set may not be marked yet.
    return (select count(*) from holdfast.jobs as j
      where j.state = 'running' and case l.kind when 'queue' then j.queue else j.task end = l.name);
  elsif l.kind = 'queue' then
    return (select count(*) from holdfast.jobs as j where j.state = 'running' and j.is_limited and j.queue = l.name);
  else
    return (select count(*) from holdfast.jobs as j where j.state = 'running' and j.is_limited and j.task = l.name);
  end if;
end
$$;
