-- Returns to the old worker what the new one has not done. Stop the new worker first.
begin;

select count(*) filter (where result = 'cancelled') as cancelled
from holdfast.cancel_jobs(
  array(select h.job from handed_over as h join chat_messages as m on m.id = h.message where m.status = 'pending'),
  'back to the old worker'
);

delete from handed_over as h
using holdfast.job_states(array(
  select o.job from handed_over as o join chat_messages as m on m.id = o.message where m.status = 'pending'
)) as s
where s.job_id = h.job and s.state in ('cancelled', 'dead');

commit;
