-- scheduled -> ready: jobs that are due, earliest first.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.promote_due(at timestamptz, max integer)
returns integer
language plpgsql volatile
as $$
declare
  due      uuid[];
  promoted integer;
begin
  due := array(
    select j.id
    from holdfast.jobs as j
    where j.state = 'scheduled'
      and j.due_at <= at
    order by j.due_at
    limit max
    for update skip locked
  );
  if cardinality(due) = 0 then
    return 0;
  end if;
  perform holdfast.record_moves(due, 'promote', 'ready');
  update holdfast.jobs as j
  set state = 'ready',
      rank_at = at - coalesce(j.lead, '0'),
      due_at = null
  where j.id = any (due);
  get diagnostics promoted = row_count;
  return promoted;
end
$$;
