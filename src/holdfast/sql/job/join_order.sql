-- Puts a job at the end of its order key's line and holds the line's row until commit, so the order is commit order.
create or replace function holdfast.join_order(key text, job uuid, out seq bigint, out is_head boolean)
language sql volatile
as $$
  insert into holdfast.order_keys as k (key, head, last_seq)
  -- A line that is gone and comes again begins above its last place: by the clock, as nothing else is left of it.
  values (key, job, (1000000 * extract(epoch from clock_timestamp()))::bigint)
  on conflict (key) do update
    set last_seq = k.last_seq + 1
  returning k.last_seq, k.head = job
$$;
comment on function holdfast.join_order(text, uuid) is 'Puts a job at the end of its order key''s line; tells its place and whether it is the head.';
