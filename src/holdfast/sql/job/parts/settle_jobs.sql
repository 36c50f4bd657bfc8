-- running -> as each end says: any mix of ends; returns those that changed nothing.
-- An end whose detail has "progress" also stores that report, in the form of report_progress.
create or replace function holdfast.settle_jobs(
  ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[]
)
returns setof uuid
language plpgsql volatile
as $$
declare
  part     record;
  ended    uuid[] := '{}';
  reported holdfast.progress[];
begin
  if cardinality(details) > 0 then
    if exists (select from unnest(details) as d where d ? 'progress') then
      -- Read while the tokens are there, but stored after the ends: as with report_progress, the lock of a job comes
      -- before that of its progress.
      reported := holdfast.read_progress(ids, tokens, array(
        select d -> 'progress' from unnest(details) with ordinality as u (d, i) order by i));
      details := array(
        select case jsonb_typeof(d) when 'object' then d - 'progress' else d end
        from unnest(details) with ordinality as u (d, i)
        order by i);
    end if;
  end if;
  if ('complete' = all (verbs)) is not true then
    for part in select * from holdfast.hold_ends(ids, tokens, verbs, outputs, details) loop
      ended := ended || part.held;
      if part.is_traced then
        perform holdfast.keep_spans(part.held, part.reports);
      end if;
      case part.verb
        when 'fail' then perform holdfast.settle_failures(part.held, part.reports);
        when 'snooze' then perform holdfast.settle_snoozes(part.held, part.reports);
        when 'release' then perform holdfast.settle_releases(part.held, part.reports);
        when 'reject' then perform holdfast.settle_rejections(part.held, part.results, part.reports);
        when 'advance' then perform holdfast.settle_advances(part.held, part.results, part.reports);
        when 'wait' then perform holdfast.settle_waits(part.held, part.reports);
        when 'cancel' then perform holdfast.settle_cancels(part.held, part.reports);
        else perform holdfast.refuse('HF002', format('The verb %s does not exist.', part.verb),
          'Use complete, fail, snooze, release, reject, advance, wait or cancel.');
      end case;
    end loop;
    -- No token, no end: what is left of the call are its completions.
    tokens := array(select case u.verb when 'complete' then u.token end from unnest(tokens, verbs) as u (token, verb));
  end if;
  if 'complete' = any (verbs) then
    ended := ended || holdfast.end_jobs(ids, tokens, 'completed', outputs, null, holdfast.units_of(details));
  end if;
  if reported is not null then
    perform holdfast.store_progress(array(select r from unnest(reported) as r where r.job_id = any (ended)));
  end if;
  if cardinality(ended) < cardinality(ids) then
    return query select u from unnest(ids) as u where u <> all (ended);
  end if;
end
$$;
