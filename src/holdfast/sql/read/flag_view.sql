-- Every flag with the value that holds for all, then those that are set for one queue or one worker group.
-- is_set is false for a default. set_for and allowed say for what else it can be set, and to which values;
-- default_value is what holds where nothing is set. The detail of a queue is a setting of that queue: the audit trail
-- knows who set it.
create or replace view holdfast.flag_view as
with known (name, set_for, default_value, allowed) as (
  values
    ('rescue', 'queue', 'on', 'on or off'),
    ('detail', 'queue', 'basic', 'off, basic or full'),
    ('slots', 'worker group', '50', 'an integer from 1 to 10000'),
    ('claim_size', 'worker group', 'auto', 'auto or an integer from 1 to 10000')
)
select
  k.name, null::text as queue, null::text as "group", coalesce(f.value, k.default_value) as value,
  f.value is not null as is_set, f.set_at, f.actor, f.reason, k.set_for, k.allowed, k.default_value
from known as k
join holdfast.flags as f on f.name = k.name and f.scope = ''
union all
select
  k.name, case when k.set_for = 'queue' then f.scope end, case when k.set_for <> 'queue' then f.scope end, f.value,
  true, f.set_at, f.actor, f.reason, k.set_for, k.allowed, k.default_value
from known as k
join holdfast.flags as f on f.name = k.name and f.scope <> ''
union all
select k.name, q.name, null, q.own_detail, true, null, null, null, k.set_for, k.allowed, k.default_value
from known as k
join holdfast.queues as q on k.name = 'detail' and q.own_detail is not null;
