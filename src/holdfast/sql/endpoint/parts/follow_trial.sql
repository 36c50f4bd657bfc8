-- Counts a success that started under the trial; after enough of them decides the trial.
create or replace function holdfast.follow_trial(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision, y double precision
)
language plpgsql immutable
as $$
declare
  mean double precision;
begin
  if started < e.trial_since or y is null then
    return;
  end if;
  e.trial_n := e.trial_n + 1;
  e.trial_sum := e.trial_sum + y;
  if e.trial_n < greatest(8, e.trial_base) then
    return;
  end if;
  mean := e.trial_sum / e.trial_n;
  if 1 - (mean - e.trial_y) / ln(e.limit / e.trial_base) >= 0.3 then
    e.tolerance := least(3, greatest(e.tolerance, 1.1 * exp(mean - e.base)));
    e.trial_k := 0;
    e.next_trial := now;
    e := holdfast.forget_trial(e);
  else
    e := holdfast.give_up_trial(e);
    e.tolerance := greatest(1.2, 0.9 * e.tolerance);
    e.next_trial := now + least(1800, 180 * power(2, e.trial_k)) * holdfast.jitter(u);
  end if;
end
$$;
