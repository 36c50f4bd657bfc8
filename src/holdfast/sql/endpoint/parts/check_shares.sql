-- Raises an error for invalid shares: a claim that cannot read them would fail for every worker.
create or replace function holdfast.check_shares(shares jsonb)
returns void
language plpgsql immutable
as $$
begin
  if jsonb_typeof(shares) <> 'object'
    or exists (
      select from jsonb_each(shares) as s
      where coalesce(holdfast.read_number(s.value), -1) not between 0 and 1)
    or (select sum(holdfast.read_number(s.value)) from jsonb_each(shares) as s) > 1.000001
  then
    perform holdfast.refuse('HF002',
      format('shares must be numbers between 0 and 1 that add up to at most 1 (got %s).', left(shares::text, 200)),
      'Pass a share for each queue, such as {"chat": 0.3}.');
  end if;
end
$$;
