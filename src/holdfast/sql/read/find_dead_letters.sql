-- Returns dead letters that match a filter, newest first, as rows of dead_letter_view; at most max (up to 1000).
-- filter: as in replay_dead_letters. For the next page pass died_at and job_id of the last row. Looks at 10,000
-- letters per call: a last row that has only those two columns is not a match, but the place to continue from.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.find_dead_letters(
  filter jsonb default '{}', before_time timestamptz default null, before_id uuid default null, max integer default 100
)
returns setof holdfast.dead_letter_view
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  letter holdfast.dead_letters;
  looked integer := 0;
  given  integer := 0;
begin
  perform holdfast.check_count('max', max);
  perform holdfast.check_dead_filter(filter);
  for letter in
    select d.*
    from holdfast.dead_letters as d
    where d.replayed_at is null
      and (d.died_at, d.job_id) < (coalesce(before_time, 'infinity'),
        coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by d.died_at desc, d.job_id desc
    limit 10000
  loop
    exit when given >= least(max, 1000);
    looked := looked + 1;
    if holdfast.dead_letter_matches(letter, filter) then
      given := given + 1;
      return query select v.* from holdfast.dead_letter_view as v where v.job_id = letter.job_id;
    end if;
  end loop;
  if looked = 10000 and given < least(max, 1000) then
    return query
      select (jsonb_populate_record(null::holdfast.dead_letter_view,
        jsonb_build_object('job_id', letter.job_id, 'died_at', letter.died_at))).*;
  end if;
end
$$;
