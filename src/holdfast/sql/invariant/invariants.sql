-- Each row is a violation of what must always hold, among the newest 10,000 of everything; what stands still is not among them.
create or replace view holdfast.invariants as
select c.name, c.job, c.detail
from holdfast.check_invariants(10000) as c;
comment on view holdfast.invariants is 'Each row is a violation of what must always hold; empty in a sound database.';
