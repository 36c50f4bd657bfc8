-- (nothing) -> open: starts a run as start_run does, or returns the one that was started for the same request.
-- For 24 hours key stands for the run within scope. request is a digest of all that was asked for: the same key with
-- another one is a conflict (HF003). Waits until a concurrent caller with the same key commits or rolls back.
create or replace function holdfast.start_run_once(
  name text, options jsonb, scope text, key text, request bytea, out run uuid, out created boolean
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  begun uuid;
begin
  if coalesce(octet_length(scope), 0) not between 1 and 1000
    or coalesce(octet_length(key), 0) not between 1 and 1000
    or octet_length(request) is distinct from 32 then
    perform holdfast.refuse('HF002',
      'scope and key must have 1 to 1000 bytes each, and request must be a SHA-256 (32 bytes).',
      'Pass sha256(…) of everything that the caller asked for as request.');
  end if;
  begun := holdfast.start_run(name, options);
  begin
    run := holdfast.reserve_key(scope, key, begun, request, '24 hours');
  exception
    when sqlstate 'HF003' then
      perform holdfast.refuse('HF003', format('The key %s belongs to a run that a different request started.', key),
        'For another run, use another key. To get the existing run, send the same request.');
  end;
  created := run = begun;
  if not created then
    delete from holdfast.runs as r where r.id = begun;
    delete from holdfast.run_budgets as b where b.run_id = begun;
  end if;
end
$$;
