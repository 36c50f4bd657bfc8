-- Counts the next ready jobs of a lane in the order of the claim index, which alone is read.
-- place: where the last call stopped, within an urgency or below one. rest is the next place, null at the end. With
-- ageing the index does not say since when a job is ready: that is read from the job.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.count_ready(in_lane integer, place jsonb, chunk integer,
  out jobs bigint, out oldest timestamptz, out rest jsonb)
language plpgsql stable
as $$
declare
  points    smallint := (place ->> 'urgency')::smallint;
  rank      timestamptz := (place ->> 'rank_at')::timestamptz;
  last      uuid := (place ->> 'id')::uuid;
  has_leads constant boolean := exists (
    select from holdfast.lanes as l
    join holdfast.queues as q on q.name = l.queue
    where l.lane = in_lane and q.ageing is not null);
begin
  if rank is not null then
    select count(*), min(c.since), max(c.rank_at) filter (where c.n = chunk),
      (array_agg(c.id) filter (where c.n = chunk))[1]
    into jobs, oldest, rank, last
    from (
      select f.rank_at, f.id, row_number() over () as n,
        f.rank_at + coalesce(
          case when has_leads then (select p.lead from holdfast.jobs as p where p.id = f.id) end, '0') as since
      from (
        select j.rank_at, j.id
        from holdfast.jobs as j
        where j.lane = in_lane and j.state = 'ready' and j.urgency = points and (j.rank_at, j.id) > (rank, last)
        order by j.rank_at, j.id
        limit chunk
      ) as f
    ) as c;
    rest := case
      when jobs = chunk then place || jsonb_build_object('rank_at', rank, 'id', last)
      else jsonb_build_object('part', 'ready', 'below', points)
    end;
    return;
  end if;
  select count(*), min(c.since), max(c.urgency) filter (where c.n = chunk), max(c.rank_at) filter (where c.n = chunk),
    (array_agg(c.id) filter (where c.n = chunk))[1]
  into jobs, oldest, points, rank, last
  from (
    select f.urgency, f.rank_at, f.id, row_number() over () as n,
      f.rank_at + coalesce(
        case when has_leads then (select p.lead from holdfast.jobs as p where p.id = f.id) end, '0') as since
    from (
      select j.urgency, j.rank_at, j.id
      from holdfast.jobs as j
      where j.lane = in_lane and j.state = 'ready' and j.urgency < coalesce((place ->> 'below')::smallint, 32767)
      order by j.urgency desc, j.rank_at, j.id
      limit chunk
    ) as f
  ) as c;
  if jobs = chunk then
    rest := jsonb_build_object('part', 'ready', 'urgency', points, 'rank_at', rank, 'id', last);
  end if;
end
$$;
