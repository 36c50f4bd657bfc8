-- Returns groups of similar dead letters, largest first, with their trend.
-- last_hour and hour_before count new letters; sample is a job to look at. is_partial is true if only the newest
-- 100,000 letters were looked at.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.dead_letter_groups(filter jsonb default '{}', max integer default 50)
returns table (
  fingerprint text, class text, error_type text, message text, place text, reasons text[], tasks text[], letters bigint,
  open bigint, last_hour bigint, hour_before bigint, first_at timestamptz, last_at timestamptz, sample uuid,
  is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  at constant timestamptz := holdfast.now();
begin
  perform holdfast.check_count('max', max);
  perform holdfast.check_dead_filter(filter);
  return query
    with newest as materialized (
      select d.job_id, d.fingerprint, d.reason, d.task, d.status, d.died_at,
        holdfast.dead_letter_matches(d, filter) as fits
      from holdfast.dead_letters as d
      where d.replayed_at is null
      order by d.died_at desc, d.job_id desc
      limit 100000
    ), grouped as (
      select
        n.fingerprint,
        array_agg(distinct n.reason) as reasons,
        array_agg(distinct n.task) as tasks,
        count(*) as letters,
        count(*) filter (where n.status = 'open') as open,
        count(*) filter (where n.died_at > at - interval '1 hour') as last_hour,
        count(*) filter (where n.died_at <= at - interval '1 hour'
          and n.died_at > at - interval '2 hours') as hour_before,
        min(n.died_at) as first_at,
        max(n.died_at) as last_at,
        (array_agg(n.job_id order by n.died_at desc))[1] as sample
      from newest as n
      where n.fits
      group by n.fingerprint
      order by count(*) desc, max(n.died_at) desc
      limit least(max, 1000)
    )
    select
      g.fingerprint, s.class, s.error_type, s.message, s.place, g.reasons, g.tasks, g.letters, g.open, g.last_hour,
      g.hour_before, g.first_at, g.last_at, g.sample, (select count(*) = 100000 from newest)
    from grouped as g
    join holdfast.dead_letters as s on s.job_id = g.sample
    order by g.letters desc, g.last_at desc;
end
$$;
