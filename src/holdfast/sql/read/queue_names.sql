-- Returns the names of queues in order, from after the given one, at most max.
-- plan: no seqscan
create or replace function holdfast.queue_names(after text default null, max integer default 100)
returns setof text
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_count('max', max);
  return query select q.name from holdfast.queues as q where q.name > coalesce(after, '') order by q.name limit max;
end
$$;
