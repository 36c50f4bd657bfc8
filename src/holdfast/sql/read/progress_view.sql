-- How far jobs have come.
create or replace view holdfast.progress_view as
select p.job_id, p.done, p.total, p.failed, p.note, p.updated_at from holdfast.progress as p;
comment on view holdfast.progress_view is 'How far jobs have come, for people.';
