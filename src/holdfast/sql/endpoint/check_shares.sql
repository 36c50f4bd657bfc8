-- Refuses shares that are not parts of a whole: a claim that could not read them would fail for every worker.
create or replace function holdfast.check_shares(shares jsonb)
returns void
language plpgsql immutable
as $$
begin
  if jsonb_typeof(shares) <> 'object'
    or exists (select from jsonb_each(shares) as s where coalesce(holdfast.read_number(s.value), -1) not between 0 and 1)
    or (select sum(holdfast.read_number(s.value)) from jsonb_each(shares) as s) > 1.000001
  then
    perform holdfast.refuse('HF002', format('The shares %s are not parts of a whole.', left(shares::text, 200)),
      'Give each queue a part between 0 and 1, together at most 1: {"chat": 0.3}.');
  end if;
end
$$;
comment on function holdfast.check_shares(jsonb) is 'Refuses shares that are not parts of a whole.';
