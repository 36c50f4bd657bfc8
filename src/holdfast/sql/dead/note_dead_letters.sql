-- any status -> the same: adds a note to dead letters; returns how many got it.
create or replace function holdfast.note_dead_letters(ids uuid[], note text, author text default null)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  written integer;
begin
  if coalesce(length(trim(note_dead_letters.note)), 0) = 0 then
    perform holdfast.refuse('HF002', 'note must not be empty.', 'Say what you found.');
  end if;
  insert into holdfast.dead_letter_notes (job_id, at, author, note)
  select d.job_id, holdfast.now(), left(note_dead_letters.author, 200), holdfast.sanitise_text(note_dead_letters.note)
  from holdfast.dead_letters as d
  where d.job_id = any (ids)
  order by d.job_id;
  get diagnostics written = row_count;
  return written;
end
$$;
