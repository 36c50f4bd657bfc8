-- How many jobs of some queues a worker does in one time box, by what such jobs took lately.
create or replace function holdfast.claim_size(queues text[], time_box interval, slots integer default 1)
returns integer
language sql stable
as $$
  select greatest(1, least(1000, coalesce(
    -- A fifth of the box is for starting and for handing over.
    slots * floor(0.8 * extract(epoch from time_box) / nullif(extract(epoch from r.p50), 0)),
    10
  )))::integer
  from holdfast.run_times(queues) as r
$$;
comment on function holdfast.claim_size(text[], interval, integer) is 'How many jobs of these queues a worker does in one time box; 10 where nothing is known.';
