-- running -> whatever each end says: any mix of ends; returns those that changed nothing.
create or replace function holdfast.settle_jobs(
  ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[]
)
returns setof uuid
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  part record;
begin
  if 'complete' = all (verbs) then
    return query select holdfast.complete_jobs(ids, tokens, outputs, case when array_remove(details, null) <> '{}' then details end);
    return;
  end if;
  if 'advance' = all (verbs) then
    return query select holdfast.advance_jobs(ids, tokens, outputs, details);
    return;
  end if;
  perform holdfast.lock_permits(ids);
  for part in
    select verb, array_agg(id) as ids, array_agg(token) as tokens, array_agg(output) as outputs, array_agg(detail) as details
    from unnest(ids, tokens, verbs, outputs, details) as e (id, token, verb, output, detail)
    group by verb
  loop
    case part.verb
      when 'complete' then return query select holdfast.complete_jobs(part.ids, part.tokens, part.outputs, part.details);
      when 'fail' then return query select holdfast.fail_jobs(part.ids, part.tokens, part.details);
      when 'snooze' then return query select holdfast.snooze_jobs(part.ids, part.tokens, part.details);
      when 'release' then return query select holdfast.release_jobs(part.ids, part.tokens, part.details);
      when 'reject' then return query select holdfast.reject_jobs(part.ids, part.tokens, part.details, part.outputs);
      when 'advance' then return query select holdfast.advance_jobs(part.ids, part.tokens, part.outputs, part.details);
      when 'wait' then return query select holdfast.wait_jobs(part.ids, part.tokens, part.details);
      when 'cancel' then return query select holdfast.cancel_claimed(part.ids, part.tokens, part.details);
      else perform holdfast.refuse('HF002', format('There is no end %s.', part.verb), 'Known are complete, fail, snooze, release, reject, advance, wait, cancel.');
    end case;
  end loop;
end
$$;
comment on function holdfast.settle_jobs(uuid[], uuid[], text[], json[], jsonb[]) is 'Ends, retries or moves running jobs, each as its verb says; returns those that were lost.';
