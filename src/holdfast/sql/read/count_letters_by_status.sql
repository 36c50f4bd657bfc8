-- Counts the dead letters that match a filter by their status, among the newest 100,000; a replayed one does not count.
-- filter: as in find_dead_letters. is_partial: there are more than were looked at; count_dead_letters counts all.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.count_letters_by_status(filter jsonb default '{}')
returns table (status text, letters bigint, is_partial boolean)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_dead_filter(filter);
  return query
    with newest as materialized (
      select d.status, holdfast.dead_letter_matches(d, filter) as fits
      from holdfast.dead_letters as d
      where d.replayed_at is null
      order by d.died_at desc, d.job_id desc
      limit 100000
    )
    select n.status, count(*) filter (where n.fits), (select count(*) = 100000 from newest)
    from newest as n
    group by n.status;
end
$$;
