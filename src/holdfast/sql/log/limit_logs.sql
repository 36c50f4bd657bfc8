-- (any) -> limited: keeps at most max_bytes of all attempts' logs; beyond that prune_logs removes the oldest.
-- The default is 1 GiB; 0 keeps none.
create or replace function holdfast.limit_logs(max_bytes bigint, reason text, actor text)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  before bigint;
begin
  perform holdfast.check_reason(reason);
  if max_bytes is null or max_bytes < 0 then
    perform holdfast.refuse('HF002',
      format('max_bytes must be 0 or more (got %s).', coalesce(max_bytes::text, 'null')),
      'Pass a number of bytes; the default is 1073741824.');
  end if;
  select s.max_bytes into before from holdfast.log_storage as s for update;
  update holdfast.log_storage as s set max_bytes = limit_logs.max_bytes;
  perform holdfast.record_event('limit_logs', actor => actor, reason => reason,
    detail => jsonb_build_object('from', before, 'to', max_bytes));
end
$$;
