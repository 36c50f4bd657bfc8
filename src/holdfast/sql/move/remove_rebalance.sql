-- declared -> (nothing): rebalancing no longer moves jobs from one queue to the other.
-- Jobs that were moved stay where they are. The audit trail gets one event with the settings that the pair had, the
-- reason, the actor and the login.
create or replace function holdfast.remove_rebalance(
  from_queue text, to_queue text, reason text default null, actor text default null
)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  old jsonb;
begin
  perform from holdfast.rebalance_pairs as r
  where r.from_queue = remove_rebalance.from_queue and r.to_queue = remove_rebalance.to_queue for update;
  old := holdfast.rebalance_settings(from_queue, to_queue);
  if old is null then
    perform holdfast.refuse('HF004', format('Rebalancing does not move jobs from %s to %s.', from_queue, to_queue),
      'The view holdfast.rebalance_view lists all pairs.');
  end if;
  delete from holdfast.rebalance_pairs as r
  where r.from_queue = remove_rebalance.from_queue and r.to_queue = remove_rebalance.to_queue;
  perform holdfast.record_change('remove_rebalance', 'rebalance', from_queue || ' -> ' || to_queue, old, null, reason,
    actor);
end
$$;
