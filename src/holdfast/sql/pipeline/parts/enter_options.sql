-- Fills in the stage for jobs that name a pipeline by themselves; its task, queue and endpoint override those given.
create or replace function holdfast.enter_options(inout tasks text[], options jsonb, inout each jsonb[])
language plpgsql stable
as $$
begin
  if coalesce(cardinality(tasks), 0) not in (1, cardinality(each)) then
    return;
  end if;
  each := array(
    select case when given ? 'pipeline' then holdfast.enter_option(given) else o end
    from unnest(each) with ordinality as u (o, i)
    cross join lateral (select options || coalesce(nullif(o, 'null'), '{}')) as merged (given)
    order by i
  );
  tasks := array(
    select coalesce(o ->> 'task', tasks[case when cardinality(tasks) = 1 then 1 else i end])
    from unnest(each) with ordinality as u (o, i)
    order by i
  );
  each := array(select o - 'task' from unnest(each) with ordinality as u (o, i) order by i);
end
$$;
