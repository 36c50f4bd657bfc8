-- waiting -> ready: readies the jobs of a run that waited for its budget; returns how many.
create or replace function holdfast.unpark_run(run uuid, cause text, reason text)
returns integer
language plpgsql volatile
as $$
declare
  parked uuid[];
begin
  parked := array(
    select j.id
    from holdfast.jobs as j
    where j.run_id = run and j.waits_for = 'budget'
    order by j.id
    for update
  );
  perform holdfast.record_moves(parked, cause, 'ready', reason);
  update holdfast.jobs as j
  set state = 'ready', waits_for = null, rank_at = holdfast.now() - coalesce(j.lead, '0')
  where j.id = any (parked);
  perform holdfast.notify_ready(array(select distinct j.queue from holdfast.jobs as j where j.id = any (parked)));
  return cardinality(parked);
end
$$;
