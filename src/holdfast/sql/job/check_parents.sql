-- Refuses children of a job whose token the caller does not have, and holds the others' parents until the transaction ends.
create or replace function holdfast.check_parents(options jsonb, each jsonb[])
returns void
language plpgsql volatile
as $$
declare
  claimed record;
begin
  for claimed in
    select distinct (o ->> 'parent')::uuid as parent, (o ->> 'parent_token')::uuid as token
    from (
      select options as o where each is null
      union all
      select options || coalesce(nullif(e, 'null'), '{}') from unnest(each) as e
    ) as given
    where o ->> 'parent' is not null
    order by 1
  loop
    if claimed.token is null then
      perform holdfast.refuse('HF002', format('The job %s cannot get a child from a caller that does not run it.', claimed.parent),
        'Enqueue children in the handler, with ctx.enqueue or ctx.spawn; in SQL give the running attempt''s token as parent_token.');
    end if;
    perform from holdfast.jobs as j where j.id = claimed.parent and j.token = claimed.token for share;
    if not found then
      perform holdfast.refuse('HF006', format('The job %s is no longer this worker''s.', claimed.parent), 'Stop working on it: another worker has it.');
    end if;
  end loop;
end
$$;
comment on function holdfast.check_parents(jsonb, jsonb[]) is 'Refuses children of a job whose token the caller does not have.';
