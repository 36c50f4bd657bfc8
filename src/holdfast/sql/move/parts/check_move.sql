-- Raises an error unless these are two queues that exist, and neither is reserved.
create or replace function holdfast.check_move(from_queue text, to_queue text)
returns void
language plpgsql stable
as $$
declare
  missing text;
begin
  perform holdfast.refuse_reserved(from_queue, to_queue);
  if from_queue = to_queue then
    perform holdfast.refuse('HF002', format('Both queues are %s.', from_queue), 'Name two different queues.');
  end if;
  select coalesce(u.name, 'null') into missing
  from unnest(array[from_queue, to_queue]) as u (name)
  where not exists (select from holdfast.queues as q where q.name = u.name)
  limit 1;
  if missing is not null then
    perform holdfast.refuse('HF004', format('There is no queue %s.', missing),
      'The view holdfast.queue_view lists all queues.');
  end if;
end
$$;
