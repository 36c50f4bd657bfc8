-- Puts the jobs of an enqueue that name a pipeline at their stage: its task, queue and lane are the stage's, whatever was given.
create or replace function holdfast.enter_options(
  n integer, inout tasks text[], inout options jsonb, inout each jsonb[]
)
language plpgsql stable
as $$
begin
  if tasks is null or cardinality(tasks) not in (1, n) then
    return;
  end if;
  if each is null or not each::text like '%"pipeline%' and not each::text like '%"stage%' then
    options := holdfast.enter_option(options);
    if options ? 'task' then
      tasks := array[options ->> 'task'];
    end if;
    options := options - 'task';
    return;
  end if;
  each := array(
    select case when (options || coalesce(nullif(o, 'null'), '{}')) ? 'pipeline'
      then holdfast.enter_option(options || coalesce(nullif(o, 'null'), '{}')) else o end
    from unnest(each) with ordinality as u (o, i)
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
comment on function holdfast.enter_options(integer, text[], jsonb, jsonb[]) is 'Puts the jobs of an enqueue that name a pipeline at their stage.';
