-- running -> scheduled | ready, cancelled, dead: puts locked jobs back, cancels and dead-letters, as was decided.
-- The dead last: they cancel their children, of which some may be put back by the same call.
create or replace function holdfast.follow_ends(
  cause text, later holdfast.jobs[], cancelled holdfast.jobs[], dead holdfast.jobs[], reasons text[]
)
returns void
language plpgsql volatile
as $$
begin
  if later is not null then
    perform holdfast.put_back(later, cause);
  end if;
  if cancelled is not null then
    perform holdfast.finish_cancel(cancelled);
  end if;
  if dead is not null then
    perform holdfast.dead_letter_jobs(dead, reasons);
  end if;
end
$$;
