-- How many jobs of some queues a worker can do in one time box, from recent run times; 10 if there are none.
create or replace function holdfast.claim_size(queues text[], time_box interval, slots integer default 1)
returns integer
language sql stable
as $$
  select greatest(1, least(1000, coalesce(
    -- A fifth of the time box is for startup and handoff.
    slots * floor(0.8 * extract(epoch from time_box) / nullif(extract(epoch from r.p50), 0)),
    10
  )))::integer
  from holdfast.run_times(queues) as r
$$;
