-- Clears the state of a trial.
create or replace function holdfast.forget_trial(inout e holdfast.endpoints)
language plpgsql immutable
as $$
begin
  e.trial_since := null;
  e.trial_base := null;
  e.trial_y := null;
  e.trial_n := 0;
  e.trial_sum := 0;
end
$$;
