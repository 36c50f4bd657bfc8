-- any live state -> an end: every end of a job goes through here. With tokens, only running jobs that carry them end.
-- Jobs that are dead or cancelled take their live children with them.
create or replace function holdfast.end_jobs(
  ids uuid[], tokens uuid[], to_state text, outputs json[], reasons text[], used double precision[] default null
)
returns uuid[]
language plpgsql volatile
as $$
declare
  ended constant uuid[] := holdfast.end_alone(ids, tokens, to_state, outputs, reasons, used);
begin
  if to_state in ('cancelled', 'dead') then
    perform holdfast.cancel_children(ended);
  end if;
  return ended;
end
$$;
