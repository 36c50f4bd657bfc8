-- The actions of the HTTP API: which roles may do each, whether only keys for all queues and tasks may, and whether a
-- key for some must name which. An admin may do all of them.
create or replace function holdfast.access_rights()
returns table (action text, roles text[], needs_all boolean, needs_names boolean)
language sql immutable
as $$
  values
    ('health', array['viewer', 'operator'], true, false),
    ('metrics', array['viewer', 'operator'], true, false),
    ('enqueue', array['producer', 'worker', 'operator'], false, false),
    ('read_state', array['viewer', 'producer', 'worker', 'operator'], false, false),
    ('read_job', array['viewer', 'operator'], false, false),
    ('list_jobs', array['viewer', 'operator'], false, true),
    ('work', array['worker'], false, false),
    ('signal', array['producer', 'worker', 'operator'], false, false),
    ('operate', array['operator'], false, false),
    ('bulk', array['operator'], false, true),
    ('operate_queue', array['operator'], false, true),
    ('operate_installation', array['operator'], true, false),
    ('check_rollout', array['viewer', 'producer', 'worker', 'operator'], false, false),
    ('report_metric', array['producer', 'worker', 'operator'], true, false),
    ('read_installation', array['viewer', 'operator'], true, false),
    ('manage_keys', array[]::text[], true, false)
$$;
