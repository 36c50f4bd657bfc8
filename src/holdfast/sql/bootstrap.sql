-- What `migrate` itself needs: which migrations were applied, which set of functions is installed,
-- and an id that makes idempotency keys of this installation differ from those of any other.

create table if not exists holdfast.migrations (
  version    integer primary key,
  name       text not null,
  checksum   text not null,
  applied_at timestamptz not null default clock_timestamp()
);
comment on table holdfast.migrations is 'Migrations that were applied to this database.';
comment on column holdfast.migrations.version is 'Number of the migration.';
comment on column holdfast.migrations.name is 'Name of its file, without the number.';
comment on column holdfast.migrations.checksum is 'SHA-256 of its text: an applied migration must not change.';
comment on column holdfast.migrations.applied_at is 'When it was applied.';

create table if not exists holdfast.function_set (
  only_row     boolean primary key default true,
  version      integer not null,
  hash         text not null,
  installed_at timestamptz not null default clock_timestamp(),
  constraint function_set_is_one_row check (only_row)
);
comment on table holdfast.function_set is 'The set of functions and views that is installed; one row.';
comment on column holdfast.function_set.only_row is 'Always true: keeps the table to one row.';
comment on column holdfast.function_set.version is 'Version of the set; an older program does not replace a newer set.';
comment on column holdfast.function_set.hash is 'SHA-256 of the texts of the set.';
comment on column holdfast.function_set.installed_at is 'When it was installed.';

create table if not exists holdfast.installation (
  only_row   boolean primary key default true,
  id         uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock_timestamp(),
  constraint installation_is_one_row check (only_row)
);
comment on table holdfast.installation is 'This installation of Holdfast; one row.';
comment on column holdfast.installation.only_row is 'Always true: keeps the table to one row.';
comment on column holdfast.installation.id
  is 'Leads every idempotency key, so that two installations never send the same one.';
comment on column holdfast.installation.created_at is 'When Holdfast was installed in this database.';

insert into holdfast.installation default values
on conflict do nothing;
