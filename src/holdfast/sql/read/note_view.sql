-- The notes on dead letters.
create or replace view holdfast.note_view as
select n.id, n.job_id, n.at, n.author, n.note
from holdfast.dead_letter_notes as n;
