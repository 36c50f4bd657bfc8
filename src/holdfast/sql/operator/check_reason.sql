-- Raises an error if an operator's action has no reason: the audit trail must say why.
create or replace function holdfast.check_reason(reason text)
returns void
language plpgsql stable
as $$
begin
  if coalesce(length(trim(reason)), 0) = 0 then
    perform holdfast.refuse('HF002',
      'reason must not be empty.', 'Say why you do this; the audit trail keeps the reason.');
  end if;
end
$$;
