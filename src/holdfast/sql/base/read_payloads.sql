-- Converts payloads that a driver sends as text into the json[] that enqueue_jobs takes.
-- PostgreSQL's own parser raises a stack depth error for JSON nested thousands of levels deep. This function raises
-- HF001 instead, as enqueue_jobs does for other payloads that are nested too deeply.
create or replace function holdfast.read_payloads(texts text[])
returns json[]
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  fault record;
begin
  -- At the default max_stack_depth the parser reads 4,000 levels; shallower payloads are checked by enqueue_jobs.
  if cardinality(texts) > 1 or octet_length(texts[1]) > 4000 then
    select i, holdfast.scan_payload(t) as problem into fault
    from unnest(texts) with ordinality as u (t, i)
    where octet_length(t) > 4000
      and length(t) - length(translate(t, '[{', '')) > 64
      and holdfast.is_deep(t)
    limit 1;
    if found then
      perform holdfast.refuse_payload(fault.i, fault.problem);
    end if;
  end if;
  return texts::json[];
end
$$;
