-- The rest after a loss follows a retry policy, as the rest after a failure does.
drop view if exists holdfast.queue_view;

alter table holdfast.queues
  drop constraint queue_rescue_delay_not_negative,
  alter column rescue_delay drop not null,
  alter column rescue_delay drop default,
  alter column rescue_delay type jsonb
    using case
      when rescue_delay > '0'
      then jsonb_build_object('delays', jsonb_build_array(extract(epoch from rescue_delay)::double precision))
    end;
comment on column holdfast.queues.rescue_delay is 'Retry policy for losses: how long a job rests after each; null means not at all.';
