-- Roll-outs that were set, each with the part of its keys that is in it: 0 is off, 100 is on.
create or replace view holdfast.rollout_view as
select r.name, r.percent::double precision as percent, r.changed_at from holdfast.rollouts as r;
