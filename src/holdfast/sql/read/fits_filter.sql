-- Whether a job is one of those that a list was asked for.
create or replace function holdfast.fits_filter(filter jsonb, state text, queue text, task text, labels jsonb)
returns boolean
language sql immutable parallel safe
as $$
  select (not filter ? 'state' or state = filter ->> 'state')
    and (not filter ? 'queue' or queue = filter ->> 'queue')
    and (not filter ? 'task' or task = filter ->> 'task')
    and (not filter ? 'labels' or labels @> (filter -> 'labels'))
$$;
comment on function holdfast.fits_filter(jsonb, text, text, text, jsonb) is 'Whether a job is one of those that a list was asked for.';
