-- A task's name if its jobs stand in lanes of their own, else nothing: the form in which lanes carry it.
create or replace function holdfast.own_task(of_task text)
returns text
language sql stable
as $$
  select case when exists (select from holdfast.tasks as t where t.name = of_task and t.has_lanes) then of_task else '' end
$$;
comment on function holdfast.own_task(text) is 'A task''s name if its jobs stand in lanes of their own, else an empty text.';
