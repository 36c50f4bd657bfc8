-- Whether two hashes of a unique key stand for the same work.
-- One with the digest of a whole request (unique_request) behind that of task and payload equals one without.
create or replace function holdfast.is_same_work(one bytea, other bytea)
returns boolean
language sql immutable parallel safe
as $$
  select one = other
    or octet_length(one) <> octet_length(other) and substr(one, 1, 32) = substr(other, 1, 32)
$$;
