-- Raises an error for a filter of attempts that error_groups does not know.
create or replace function holdfast.check_error_filter(filter jsonb)
returns void
language plpgsql stable
as $$
begin
  perform holdfast.check_filter(filter, array['queue', 'task', 'stage', 'class', 'outcome', 'fingerprint', 'error_type',
    'text', 'queues', 'tasks']);
  if length(filter ->> 'text') > 1000 then
    perform holdfast.refuse('HF002', 'The text of a filter must have at most 1000 characters.', 'Shorten the text.');
  end if;
end
$$;
