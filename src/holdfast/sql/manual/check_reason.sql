-- Refuses a manual action that nobody gives a reason for: the audit trail would tell what, but not why.
create or replace function holdfast.check_reason(reason text)
returns void
language plpgsql stable
as $$
begin
  if coalesce(length(trim(reason)), 0) = 0 then
    perform holdfast.refuse('HF002', 'An action by hand needs a reason.', 'Say why; it is kept in the audit trail.');
  end if;
end
$$;
comment on function holdfast.check_reason(text) is 'Refuses a manual action without a reason.';
