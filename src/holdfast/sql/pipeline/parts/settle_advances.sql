-- running -> ready | scheduled | waiting | completed | dead | cancelled: ends a stage of locked jobs.
-- Most go straight on: next_stages finds where for all at once. What is left is looked at one by one.
create or replace function holdfast.settle_advances(ids uuid[], outputs json[], details jsonb[])
returns void
language plpgsql volatile
as $$
declare
  way       record;
  one       record;
  choice    record;
  cancelled holdfast.jobs[];
begin
  select * into way from holdfast.next_stages(ids, details);
  for one in select h.job, h.detail from holdfast.read_held(way.odd, way.odd_details) as h loop
    if (one.job).cancel_asked_at is not null then
      cancelled := cancelled
        || holdfast.charge_attempt(one.job, holdfast.read_number(one.detail -> 'units'));
      continue;
    end if;
    select * into choice
    from holdfast.choose_stage(one.job, outputs[array_position(ids, (one.job).id)], one.detail);
    if (choice.entry).job_id is not null then
      way.entries := way.entries || choice.entry;
    elsif choice.is_last then
      way.last := way.last || (one.job).id;
    end if;
  end loop;
  if way.entries is not null then
    perform holdfast.leave_stages(way.entries, ids, outputs);
    perform holdfast.enter_stages(way.entries, 'running');
  end if;
  if way.last is not null then
    perform holdfast.end_jobs(l.ids, null, 'completed', l.outputs, null, holdfast.units_of(l.details))
    from (
      select array_agg(e.id) as ids, array_agg(e.output) as outputs, array_agg(e.detail) as details
      from unnest(ids, outputs, details) as e (id, output, detail)
      where e.id = any (way.last)
    ) as l;
  end if;
  if cancelled is not null then
    perform holdfast.finish_cancel(cancelled);
  end if;
end
$$;
