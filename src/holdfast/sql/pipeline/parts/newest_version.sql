-- The version that new jobs of a pipeline start on.
create or replace function holdfast.newest_version(pipeline text)
returns integer
language sql stable
as $$
  select max(p.version) from holdfast.pipelines as p where p.name = pipeline
$$;
