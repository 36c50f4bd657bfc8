-- JSON that a driver sends as text. What is too deep for PostgreSQL's own parser is refused as other deep payloads are.
create or replace function holdfast.read_payloads(texts text[])
returns json[]
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  fault record;
begin
  -- At the default max_stack_depth the parser reads 4,000 levels; what it can read is looked at by the verb.
  if cardinality(texts) > 1 or octet_length(texts[1]) > 4000 then
    select i, holdfast.find_payload_problem(t) as problem into fault
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
comment on function holdfast.read_payloads(text[]) is 'JSON sent as text, for enqueue_jobs; refuses what is too deep for PostgreSQL''s own parser.';
