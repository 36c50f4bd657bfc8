-- (nothing) -> sealed: digests the audit trail of each finished day (UTC) into one row that contains the seal before.
-- A day is sealed when no transaction is open that may still add an event to it. Reads at most max events and continues
-- with the next call. Returns counts; no row while another call is sealing.
create or replace function holdfast.seal_events(max integer default 10000)
returns table (days integer, events integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  today constant date := (holdfast.now() at time zone 'UTC')::date;
  day   date;
  known jsonb;
  state jsonb;
  step  record;
begin
  perform holdfast.check_count('max', max);
  if current_setting('transaction_isolation') <> 'read committed' then
    perform holdfast.refuse('HF002', 'seal_events needs a transaction with the isolation level read committed.',
      'An older snapshot would leave out events that were committed later. Call seal_events in its own transaction.');
  end if;
  if not holdfast.try_lock('seal_events') then
    return;
  end if;
  days := 0;
  events := 0;
  day := holdfast.first_unsealed_day();
  known := (select c.counts from holdfast.chores as c where c.name = 'seal_events');
  state := known;
  while day < today and events < max loop
    if coalesce((state ->> 'today')::date <= day, true) then
      state := holdfast.mark_events();
    end if;
    exit when array(select jsonb_array_elements_text(state -> 'writers')) && holdfast.event_writers()
      or 'prepared' = any (holdfast.event_writers());
    step := holdfast.seal_day(day, max - events, state);
    state := step.state;
    events := events + step.events;
    exit when not step.is_sealed;
    days := days + 1;
    day := day + 1;
  end loop;
  if state is distinct from known then
    perform holdfast.record_maintenance_task('seal_events', state);
  end if;
  return next;
end
$$;
