-- The actions of the HTTP API: which roles may do each, and whether only keys for all queues and tasks may.
-- An admin may do all of them.
create or replace function holdfast.access_rights()
returns table (action text, roles text[], needs_all boolean)
language sql immutable
as $$
  values
    ('health', array['viewer', 'operator'], true),
    ('metrics', array['viewer', 'operator'], true),
    ('enqueue', array['producer', 'worker', 'operator'], false),
    ('read_state', array['viewer', 'producer', 'worker', 'operator'], false),
    ('read_job', array['viewer', 'operator'], false),
    ('work', array['worker'], false),
    ('operate', array['operator'], false),
    ('read_installation', array['viewer', 'operator'], true),
    ('manage_keys', array[]::text[], true)
$$;
