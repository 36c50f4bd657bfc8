-- running -> running: adds labels to a job; a label given as null is removed.
-- Returns false if the token is outdated: stop working on the job.
-- plan: no seqscan
create or replace function holdfast.label_job(job uuid, token uuid, labels jsonb)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  merged jsonb;
begin
  perform holdfast.check_object('labels', labels);
  perform holdfast.check_option(jsonb_build_object('labels', labels));
  select nullif(
    (coalesce(j.labels, '{}') || coalesce(labels, '{}'))
      - array(select e.key from jsonb_each(labels) as e where e.value = 'null'),
    '{}')
  into merged
  from holdfast.jobs as j
  where j.id = job and j.token = label_job.token
  for no key update;
  if not found then
    return false;
  end if;
  perform holdfast.check_option(jsonb_build_object('labels', merged));
  update holdfast.jobs as j set labels = merged where j.id = job and j.labels is distinct from merged;
  return true;
end
$$;
