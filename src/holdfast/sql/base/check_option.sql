-- Raises an error for option values that would break a reader or an index once stored.
create or replace function holdfast.check_option(options jsonb)
returns void
language plpgsql stable
as $$
declare
  wrong text;
begin
  select name into wrong
  from unnest(array['queue', 'group', 'endpoint', 'pipeline', 'stage', 'unique_key', 'unique_scope',
    'order_key', 'origin', 'actor', 'default_queue']) as name
  where octet_length(options ->> name) > case when name ~ '_(key|scope)$' then 1000 else 800 end
     or options ->> name = '' and name not in ('group', 'endpoint')
     or length(options ->> name) > 200 and name in ('origin', 'actor');
  if wrong is not null then
    perform holdfast.refuse('HF002', format('The option %s must have 1 to %s.', wrong,
        case when wrong ~ '_(key|scope)$' then '1000 bytes' else '200 characters' end),
      'Pass a value of this length, or leave out the option.');
  end if;
  select name into wrong
  from unnest(array['run_at', 'deadline']) as name
  where (options ->> name)::timestamptz not between '1900-01-01Z' and '9000-01-01Z';
  if wrong is not null then
    perform holdfast.refuse('HF002', format('The option %s must be a time between the years 1900 and 9000.', wrong),
      'Pass another time, or leave out the option.');
  end if;
  if nullif(options -> 'estimate', 'null') is not null
    and coalesce(holdfast.read_number(options -> 'estimate'), -1) < 0 then
    perform holdfast.refuse('HF002', 'The option estimate must be 0 or more.',
      'Pass how many units one attempt will probably use.');
  end if;
  if jsonb_typeof(options -> 'labels') not in ('object', 'null') or pg_column_size(options -> 'labels') > 8192
    or jsonb_path_exists(options -> 'labels', '$.** ? (@ > 1e308 || @ < -1e308)')
  then
    perform holdfast.refuse('HF002',
      'The option labels must be a JSON object of at most 8 KiB, with numbers up to 1e308.',
      'Labels are only for filters; put other data into the payload.');
  end if;
end
$$;
