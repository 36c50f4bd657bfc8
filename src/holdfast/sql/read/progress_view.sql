-- How far jobs have come, as their handlers reported it.
create or replace view holdfast.progress_view as
select p.job_id, p.done, p.total, p.failed, p.note, p.updated_at from holdfast.progress as p;
