-- Returns the budgets of runs that have not ended, and what was used of them, newest run first, at most max.
-- Looks at the newest 1,000 runs with a budget. budget and max_units are null where there is no such limit.
-- plan: no seqscan, no hashjoin, no mergejoin
create or replace function holdfast.budgets_left(max integer default 100)
returns table (
  run uuid, name text, budget double precision, spent double precision, max_units double precision,
  used_units double precision
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_count('max', max);
  return query
    select
      r.id, r.name, b.max_money, b.spent + coalesce(c.money, 0), b.max_units, b.used + coalesce(c.units, 0)
    from (select t.* from holdfast.run_budgets as t order by t.run_id desc limit 1000) as b
    -- offset 0: one look by id, whatever the statistics say.
    join lateral (select t.* from holdfast.runs as t where t.id = b.run_id offset 0) as r on r.ended_at is null
    -- What ends have cost since a claim last added it up.
    left join lateral (
      select sum(y.money) as money, sum(y.units) as units from holdfast.run_costs as y where y.run_id = b.run_id
    ) as c on true
    where coalesce(b.max_money, b.max_units) is not null
    order by b.run_id desc
    limit max;
end
$$;
