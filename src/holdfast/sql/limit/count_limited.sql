-- How many jobs run under a limit. Counted, not kept: an end pays nothing for it, and no crash can leave it wrong.
create or replace function holdfast.count_limited(l holdfast.limits)
returns integer
language plpgsql stable
as $$
begin
  if not l.is_settled then
    -- Some may run unmarked: they began before the limit was known.
    return (select count(*) from holdfast.jobs as j
      where j.state = 'running' and case l.kind when 'queue' then j.queue else j.task end = l.name);
  elsif l.kind = 'queue' then
    return (select count(*) from holdfast.jobs as j where j.state = 'running' and j.is_limited and j.queue = l.name);
  else
    return (select count(*) from holdfast.jobs as j where j.state = 'running' and j.is_limited and j.task = l.name);
  end if;
end
$$;
comment on function holdfast.count_limited(holdfast.limits) is 'How many jobs run under a limit.';
