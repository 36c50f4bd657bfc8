-- Walks a lane from its start, urgency by urgency, and marks where its ready jobs begin if the walk was long.
create or replace function holdfast.mark_lane(in_lane integer, at timestamptz)
returns boolean
language plpgsql volatile
as $$
declare
  long   constant integer := 2000;
  slack  constant interval := '500 milliseconds';
  before constant bigint := pg_stat_get_xact_tuples_returned('holdfast.jobs_claim'::regclass);
  below  smallint := 32767;
  firsts jsonb := '{}';
  steps  bigint;
  head   record;
begin
  loop
    select j.urgency, j.rank_at into head
    from holdfast.jobs as j
    where j.lane = in_lane
      and j.state = 'ready'
      and j.urgency < below
    order by j.urgency desc, j.rank_at, j.id
    limit 1;
    exit when not found;
    firsts := firsts || jsonb_build_object(head.urgency, head.rank_at);
    below := head.urgency;
  end loop;
  steps := pg_stat_get_xact_tuples_returned('holdfast.jobs_claim'::regclass) - before;
  if steps < long then
    delete from holdfast.lane_marks as m where m.lane = in_lane;
    return false;
  end if;
  insert into holdfast.lane_marks as m (lane, urgency, rank_at, looked_at, walked)
  select in_lane, f.key::smallint, least(f.value::timestamptz, at) - slack, at, steps from jsonb_each_text(firsts) as f
  union all
  -- No ready job: claims begin at the present.
  select in_lane, o.urgency, at - slack, at, steps
  from holdfast.lane_marks as o
  where o.lane = in_lane and not firsts ? o.urgency::text
  on conflict on constraint lane_marks_pkey
  do update set rank_at = excluded.rank_at, looked_at = excluded.looked_at, walked = excluded.walked;
  return true;
end
$$;
