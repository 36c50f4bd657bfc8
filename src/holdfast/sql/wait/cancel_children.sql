-- Cancels the children of jobs that ended without them.
create or replace function holdfast.cancel_children(parents uuid[])
returns void
language plpgsql volatile
as $$
declare
  run uuid;
begin
  for run in
    select r.id from holdfast.runs as r
    where r.parent_id = any (parents)
      and r.ended_at is null
      and r.cancelled_at is null
    order by r.id
  loop
    perform holdfast.cancel_run(run, 'its parent has ended');
  end loop;
end
$$;
comment on function holdfast.cancel_children(uuid[]) is 'Cancels the children of jobs that ended without them.';
