-- The next dead letters that fit a filter, oldest first, paged by time of death and id.
create or replace function holdfast.find_dead_letters(
  filter jsonb default '{}', after_time timestamptz default null, after_id uuid default null, max integer default 100
)
returns setof holdfast.dead_letters
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_filter(filter,
    array['queue', 'task', 'reason', 'class', 'fingerprint', 'status', 'assignee', 'run', 'since', 'until']);
  return query
    select d.*
    from holdfast.dead_letters as d
    where (after_time is null or (d.died_at, d.job_id) > (after_time, after_id))
      and holdfast.dead_letter_matches(d, filter)
    order by d.died_at, d.job_id
    limit least(max, 10000);
end
$$;
comment on function holdfast.find_dead_letters(jsonb, timestamptz, uuid, integer)
  is 'Dead letters by filter, oldest first; give time and id of the last for the next page.';
