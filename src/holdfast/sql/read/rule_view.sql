-- Every rule, with the base of its set and whether the set overrides a caller's priority.
create or replace view holdfast.rule_view as
select s.kind, s.owner, r.name, r.position, r.condition, r.points, r.queue, r.is_enabled, s.base, s.overrides
from holdfast.rule_sets as s
join holdfast.rules as r on r.kind = s.kind and r.owner = s.owner;
