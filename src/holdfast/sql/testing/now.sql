-- The fake clock: the one row of test_clock is the time, for every connection. `migrate` never installs this.
create table if not exists holdfast.test_clock (
  only_row boolean primary key default true,
  at       timestamptz not null,
  constraint test_clock_is_one_row check (only_row)
);
grant select on holdfast.test_clock to public;

insert into holdfast.test_clock (at)
values (clock_timestamp())
on conflict do nothing;

create or replace function holdfast.now()
returns timestamptz
language sql stable parallel safe
as $$
  select at
  from holdfast.test_clock
$$;
