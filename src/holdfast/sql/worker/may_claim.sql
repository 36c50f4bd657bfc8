-- Whether a worker may claim from a lane. The claim and explain share this check, so that they cannot differ.
create or replace function holdfast.may_claim(worker holdfast.workers, lane holdfast.lanes)
returns boolean
language sql stable
as $$
  select holdfast.reaches(worker, lane)
    and case worker.isolation when 'self' then true when 'only' then lane.is_suspect else not lane.is_suspect end
$$;
