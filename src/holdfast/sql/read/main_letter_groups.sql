-- Returns the largest group of similar open dead letters of each of these queues, among the newest 100,000 letters.
-- reason, error_type and message are those of its newest letter.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.main_letter_groups(queues text[])
returns table (
  queue text, fingerprint text, reason text, error_type text, message text, letters bigint, first_at timestamptz
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    with newest as materialized (
      select d.job_id, d.queue, d.fingerprint, d.died_at, d.status
      from holdfast.dead_letters as d
      where d.replayed_at is null
      order by d.died_at desc, d.job_id desc
      limit 100000
    ), grouped as (
      select
        n.queue, n.fingerprint, count(*) as letters, min(n.died_at) as first_at, max(n.died_at) as last_at,
        (array_agg(n.job_id order by n.died_at desc))[1] as sample
      from newest as n
      where n.status = 'open' and n.queue = any (queues)
      group by n.queue, n.fingerprint
    ), largest as (
      select distinct on (g.queue) g.*
      from grouped as g
      order by g.queue, g.letters desc, g.last_at desc
    )
    select l.queue, l.fingerprint, s.reason, s.error_type, s.message, l.letters, l.first_at
    from largest as l
    join holdfast.dead_letters as s on s.job_id = l.sample;
end
$$;
