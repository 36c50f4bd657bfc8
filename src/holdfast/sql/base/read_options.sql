-- The options of each of n jobs, one row per job in order. Options for all are read once.
create or replace function holdfast.read_options(options jsonb, each jsonb[], n integer)
returns table (
  queue text, priority integer, due_at timestamptz, unique_key text, unique_for text, unique_scope text, order_key text,
  run uuid, parent uuid, labels jsonb, timeout interval, deadline timestamptz, "group" text, endpoint text,
  max_failures integer, retry jsonb, pipeline text, stage text, estimate double precision
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  started timestamptz := holdfast.now();
begin
  if each is null then
    return query
      select o.*
      from holdfast.read_option(options, started) as o, generate_series(1, n);
  else
    return query
      select o.*
      from generate_series(1, n) as i
      cross join lateral holdfast.read_option(options || coalesce(nullif(each[i], 'null'), '{}'), started) as o;
  end if;
end
$$;
comment on function holdfast.read_options(jsonb, jsonb[], integer) is 'The options of each of n jobs, one row per job in order.';
