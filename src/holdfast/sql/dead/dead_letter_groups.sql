-- Dead letters that are alike, largest group first, with their trend. Looks at the newest 100,000.
create or replace function holdfast.dead_letter_groups(filter jsonb default '{}', max integer default 50)
returns table (
  fingerprint text, class text, error_type text, message text, reasons text[], tasks text[], letters bigint, open bigint,
  last_hour bigint, hour_before bigint, first_at timestamptz, last_at timestamptz, sample uuid
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_filter(filter,
    array['queue', 'task', 'reason', 'class', 'fingerprint', 'status', 'assignee', 'run', 'since', 'until']);
  return query
    with newest as (
      select d.*
      from holdfast.dead_letters as d
      where holdfast.dead_letter_matches(d, filter)
      order by d.died_at desc, d.job_id desc
      limit 100000
    )
    select
      coalesce(n.fingerprint, n.reason),
      min(n.class), min(n.error_type),
      (array_agg(n.message order by n.died_at desc))[1],
      array_agg(distinct n.reason), array_agg(distinct n.task),
      count(*),
      count(*) filter (where n.status = 'open'),
      count(*) filter (where n.died_at > holdfast.now() - interval '1 hour'),
      count(*) filter (where n.died_at between holdfast.now() - interval '2 hours' and holdfast.now() - interval '1 hour'),
      min(n.died_at), max(n.died_at),
      (array_agg(n.job_id order by n.died_at desc))[1]
    from newest as n
    group by coalesce(n.fingerprint, n.reason)
    order by count(*) desc
    limit least(max, 1000);
end
$$;
comment on function holdfast.dead_letter_groups(jsonb, integer) is 'Dead letters that are alike, with counts and trend.';
