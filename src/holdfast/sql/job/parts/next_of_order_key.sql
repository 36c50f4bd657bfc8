-- waiting -> ready | scheduled: the first waiting job of an order key whose row the caller has locked.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.next_of_order_key(line_key text, at timestamptz)
returns uuid
language plpgsql volatile
as $$
declare
  head     uuid;
  is_later boolean;
begin
  loop
    select j.id, coalesce(j.due_at > at, false) into head, is_later
    from holdfast.jobs as j
    where j.order_key = line_key
      and j.state = 'waiting'
      and j.waits_for = 'order'
    order by j.order_seq
    limit 1
    for update;
    exit when found;
    -- A concurrent cancel may have removed the row: look again, unless no job waits.
    if not exists (select from holdfast.jobs as j where j.order_key = line_key and j.waits_for = 'order') then
      return null;
    end if;
  end loop;
  perform holdfast.record_moves(array[head], 'order', case when is_later then 'scheduled' else 'ready' end);
  update holdfast.jobs as j
  set state = case when is_later then 'scheduled' else 'ready' end,
      rank_at = case when is_later then null else at - coalesce(j.lead, '0') end,
      due_at = case when is_later then j.due_at end,
      waits_for = null
  where j.id = head;
  perform holdfast.notify_ready(array(select j.queue from holdfast.jobs as j where j.id = head));
  return head;
end
$$;
