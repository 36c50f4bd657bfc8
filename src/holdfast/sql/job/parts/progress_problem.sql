-- What is wrong with a report of a job's progress; null if nothing is.
create or replace function holdfast.progress_problem(report jsonb)
returns text
language sql immutable parallel safe
as $$
  select case
    when report is null or jsonb_typeof(report) <> 'object' then
      format('A report of progress must be an object (got %s).', coalesce(left(report::text, 200), 'null'))
    when bad.counts is not null then
      format('%s must be an integer, 0 or more (got %s).', bad.counts, coalesce(report ->> bad.counts, 'null'))
    -- As JSON: PostgreSQL may evaluate a cast before the cases above, and a cast of what is no integer fails.
    when report -> 'done' > nullif(report -> 'total', 'null') then
      format('done must not be more than total (got %s of %s).', report ->> 'done', report ->> 'total')
    when bad.texts is not null then
      format('%s must be a string (got %s).', bad.texts, left((report -> bad.texts)::text, 200))
    when jsonb_typeof(report -> 'errors') not in ('array', 'null') then
      format('errors must be an array (got %s).', left((report -> 'errors')::text, 200))
  end
  from (
    select
      (
        select c.name
        from (values ('done', true), ('total', false), ('failed', false)) as c (name, is_required)
        where case coalesce(jsonb_typeof(report -> c.name), 'null')
          when 'null' then c.is_required
          when 'number' then report ->> c.name !~ '^[0-9]{1,18}$'
          else true
        end
        limit 1
      ) as counts,
      (
        select c.name from (values ('note'), ('item')) as c (name)
        where jsonb_typeof(report -> c.name) not in ('string', 'null')
        limit 1
      ) as texts
  ) as bad
$$;
