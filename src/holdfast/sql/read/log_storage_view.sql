-- How much room the logs of all attempts take, and may take, in bytes; removed_at: when the oldest had to go.
create or replace view holdfast.log_storage_view as
select
  coalesce((select sum(c.bytes) from holdfast.log_size_changes as c), 0)::bigint as bytes,
  s.max_bytes, s.removed_at, s.removed_to
from holdfast.log_storage as s;
