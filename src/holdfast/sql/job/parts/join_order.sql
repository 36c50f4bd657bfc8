-- Appends a job to its order key and locks the key's row until commit, so that the order is commit order.
create or replace function holdfast.join_order(key text, job uuid, out seq bigint, out is_head boolean)
language sql volatile
as $$
  insert into holdfast.order_keys as k (key, head, last_seq)
  -- A key that was removed and returns must number above its last job: the clock gives a higher number.
  values (key, job, (1000000 * extract(epoch from clock_timestamp()))::bigint)
  on conflict (key) do update
    set last_seq = k.last_seq + 1
  returning k.last_seq, k.head = job
$$;
