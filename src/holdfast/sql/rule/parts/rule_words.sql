-- The rules that matched when a job was enqueued, as a sentence.
create or replace function holdfast.rule_words(rules jsonb)
returns text
language sql immutable
as $$
  select format('The rules of the %s matched: %s%s%s.', rules ->> 'of',
    (select string_agg(r, ', ' order by n)
     from jsonb_array_elements_text(rules -> 'rules') with ordinality as u (r, n)),
    '; priority ' || (rules ->> 'priority'), '; queue ' || (rules ->> 'queue'))
$$;
