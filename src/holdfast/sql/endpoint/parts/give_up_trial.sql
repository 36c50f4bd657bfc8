-- Ends a trial without gain: back to the limit before it.
create or replace function holdfast.give_up_trial(inout e holdfast.endpoints)
language plpgsql immutable
as $$
begin
  if e.trial_base is not null then
    e.limit := e.trial_base;
    e.trial_k := least(4, e.trial_k + 1);
    e := holdfast.forget_trial(e);
  end if;
end
$$;
