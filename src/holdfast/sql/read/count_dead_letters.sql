-- Counts the dead letters that match a filter; a replayed one does not count.
-- filter: as in find_dead_letters.
create or replace function holdfast.count_dead_letters(filter jsonb default '{}')
returns bigint
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  found bigint;
begin
  perform holdfast.check_dead_filter(filter);
  select count(*) into found
  from holdfast.dead_letters as d
  where d.replayed_at is null
    and holdfast.dead_letter_matches(d, filter);
  return found;
end
$$;
