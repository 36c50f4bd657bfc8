-- The violations that check_invariants finds among the newest 10,000 of everything; empty in a sound database.
create or replace view holdfast.invariants as
select c.name, c.job, c.detail
from holdfast.check_invariants(10000) as c;
