-- Creates a queue if there is none, with the detail that holds for queues that set none.
create or replace function holdfast.name_queue(queue text)
returns void
language plpgsql volatile
as $$
declare
  its_detail text;
begin
  if exists (select from holdfast.queues as q where q.name = name_queue.queue) then
    return;
  end if;
  its_detail := holdfast.default_detail();
  insert into holdfast.queues (name, expires_at, detail, full_since)
  values (queue, holdfast.expiry_if_unused(), its_detail, case when its_detail = 'full' then holdfast.now() end)
  on conflict do nothing;
end
$$;
