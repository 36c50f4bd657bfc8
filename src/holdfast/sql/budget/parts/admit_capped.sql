-- Picks the ready jobs of a lane without an endpoint that the budgets of their runs cover.
create or replace function holdfast.admit_capped(in_lane integer, wanted integer, at timestamptz, chosen uuid,
  out ids uuid[], out reserved double precision[])
language plpgsql volatile
as $$
declare
  job     record;
  verdict text;
begin
  ids := '{}';
  reserved := '{}';
  for job in select c.* from holdfast.candidates(in_lane, at, wanted, false, chosen) as c loop
    verdict := holdfast.afford(job.run_id, 0, coalesce(job.estimate, 0));
    if verdict = 'yes' then
      ids := ids || job.id;
      reserved := reserved || 0::double precision;
    elsif verdict = 'park' then
      perform holdfast.park_run(job.run_id, in_lane, job.id);
    end if;
  end loop;
end
$$;
