-- waiting -> ready | scheduled: the first waiting job of an order key whose row the caller has locked.
-- moved is null if no job waits, or if another call has locked the first one: is_busy. To wait for that call could take
-- as long as its cancel of 10,000 jobs, and deadlock with it.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.next_of_order_key(
  line_key text, at timestamptz, out moved uuid, out is_busy boolean
)
language plpgsql volatile
as $$
declare
  head     uuid;
  is_later boolean;
begin
  is_busy := false;
  loop
    head := (
      select j.id
      from holdfast.jobs as j
      where j.order_key = line_key
        and j.state = 'waiting'
        and j.waits_for = 'order'
      order by j.order_seq
      limit 1
    );
    if head is null then
      return;
    end if;
    select j.id, coalesce(j.due_at > at, false) into moved, is_later
    from holdfast.jobs as j
    where j.id = head
      and j.state = 'waiting'
      and j.waits_for = 'order'
    for update skip locked;
    exit when found;
    is_busy := exists (
      select from holdfast.jobs as j where j.id = head and j.state = 'waiting' and j.waits_for = 'order');
    if is_busy then
      return;
    end if;
    -- A concurrent cancel has removed the row: look again.
  end loop;
  perform holdfast.record_moves(array[moved], 'order', case when is_later then 'scheduled' else 'ready' end);
  update holdfast.jobs as j
  set state = case when is_later then 'scheduled' else 'ready' end,
      rank_at = case when is_later then null else at - coalesce(j.lead, '0') end,
      due_at = case when is_later then j.due_at end,
      waits_for = null
  where j.id = moved;
  perform holdfast.notify_ready(array(select j.queue from holdfast.jobs as j where j.id = moved));
end
$$;
