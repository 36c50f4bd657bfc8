-- Retry policies in full, as retry_policy returns each.
create or replace function holdfast.retry_policies(policies jsonb[])
returns jsonb[]
language sql immutable parallel safe
as $$
  select array_agg(holdfast.retry_policy(p) order by i) from unnest(policies) with ordinality as u (p, i)
$$;
