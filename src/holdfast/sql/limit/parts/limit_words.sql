-- Describes why a limit lets no job start.
create or replace function holdfast.limit_words(l holdfast.limits, reason text)
returns text
language sql stable
as $$
  select case
    when right(reason, 6) = '_limit'
      then format('%s %s may run %s jobs at once, and %s are running.',
        initcap(l.kind), l.name, l.max_concurrent, holdfast.count_limited(l))
    else format('%s %s has used up its rate of %s.', initcap(l.kind), l.name, l.rate)
  end
$$;
