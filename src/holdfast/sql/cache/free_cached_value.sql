-- running -> running: frees the key of a cached value whose computation failed; the next caller computes it.
-- The writer alone decides, so an attempt that was lost can free what it had. Returns false if it has the key no more.
create or replace function holdfast.free_cached_value(scope text, key text, writer uuid)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  delete from holdfast.cached_values as c
  where c.scope = free_cached_value.scope
    and c.key = free_cached_value.key
    and c.writer = free_cached_value.writer;
  return found;
end
$$;
