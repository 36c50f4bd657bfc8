-- Raises an error for a flag, a value or a scope that there is not, with the list of those that there are. What is set
-- for a queue that is gone can be removed.
create or replace function holdfast.check_flag(name text, value text, of_queue text, of_group text)
returns void
language plpgsql stable
as $$
#variable_conflict use_variable
declare
  known holdfast.flag_view;
  hint  constant text := (
    select 'The flags are ' || string_agg(format('%s (%s; for all or one %s)', v.name, v.allowed, v.set_for), ', ')
      || '.'
    from holdfast.flag_view as v
    where v.queue is null and v."group" is null);
begin
  select v.* into known
  from holdfast.flag_view as v
  where v.name = check_flag.name and v.queue is null and v."group" is null;
  if not found then
    perform holdfast.refuse('HF002', format('There is no flag %s.', coalesce(name, 'null')), hint);
  end if;
  if not (case name
    when 'rescue' then value in ('on', 'off')
    when 'detail' then value in ('off', 'basic', 'full')
    else value ~ '^([1-9][0-9]{0,3}|10000)$' or name = 'claim_size' and value = 'auto'
  end) then
    perform holdfast.refuse('HF002', format('The flag %s must be %s (got %s).', name, known.allowed, left(value, 100)),
      hint);
  end if;
  if known.set_for = 'queue' and of_group is not null or known.set_for = 'worker group' and of_queue is not null then
    perform holdfast.refuse('HF002', format('The flag %1$s can be set only for all %2$ss or for one %2$s.', name,
        known.set_for),
      hint);
  end if;
  if length(coalesce(of_queue, of_group, 'all')) not between 1 and 200 then
    perform holdfast.refuse('HF002',
      format('The name of the %s must have 1 to 200 characters.', known.set_for),
      format('To set the flag for all %ss, pass null.', known.set_for));
  end if;
  if value is not null and of_queue is not null
    and not exists (select from holdfast.queues as q where q.name = of_queue) then
    perform holdfast.refuse('HF004', format('There is no queue %s.', of_queue), coalesce((
      select 'The queues are ' || string_agg(u.name, ', ' order by u.name) || case
        when count(*) = 20 then ', and others that the view holdfast.queue_view lists.' else '.' end
      from (
        select q.name from holdfast.queues as q where not holdfast.is_reserved(q.name) order by q.name limit 20
      ) as u
    ), 'There is no queue yet; set_queue makes one.'));
  end if;
end
$$;
