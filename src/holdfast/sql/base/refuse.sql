-- Raises one of Holdfast's own errors, so that expressions can refuse too.
create or replace function holdfast.refuse(code text, message text, hint text default null, detail text default null)
returns text
language plpgsql volatile
as $$
begin
  raise exception using
    errcode = code,
    message = message,
    hint = coalesce(hint, ''),
    detail = coalesce(detail, '');
end
$$;
comment on function holdfast.refuse(text, text, text, text) is 'Raises an error with a code, a sentence, and a hint that says what to do.';
