-- When each chore last succeeded, whoever did it.
create or replace view holdfast.chore_view as
select c.name, c.succeeded_at
from holdfast.chores as c;
comment on view holdfast.chore_view is 'When each chore last succeeded, whoever did it; noted every ten seconds or more.';
