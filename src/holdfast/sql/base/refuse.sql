-- Raises one of Holdfast's own errors; a function, so that expressions can raise too.
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
