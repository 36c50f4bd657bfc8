-- Gives every queue without a detail of its own the detail that holds for all.
-- Queues carry the detail that holds for them, so that no claim or end has to look it up. In the order of their names:
-- two calls cannot deadlock.
create or replace function holdfast.follow_detail(new_detail text)
returns void
language sql volatile
as $$
  with followed as materialized (
    select q.name
    from holdfast.queues as q
    where q.own_detail is null and q.detail <> new_detail
    order by q.name
    for update
  )
  update holdfast.queues as q
  set detail = new_detail,
      full_since = case when new_detail = 'full' then holdfast.now() end
  from followed as f
  where q.name = f.name
$$;
