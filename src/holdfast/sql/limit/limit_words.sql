-- Why a limit lets no job start, in words.
create or replace function holdfast.limit_words(l holdfast.limits, reason text)
returns text
language sql stable
as $$
  select case
    when right(reason, 6) = '_limit' then format('%s %s runs %s jobs at once, and %s run.', initcap(l.kind), l.name, l.max_concurrent, holdfast.count_limited(l))
    else format('%s %s has had its %s.', initcap(l.kind), l.name, l.rate)
  end
$$;
comment on function holdfast.limit_words(holdfast.limits, text) is 'Why a limit lets no job start, in words.';
