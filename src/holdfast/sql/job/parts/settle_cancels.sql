-- running -> cancelled: ends locked jobs whose handlers stopped after a cancel request.
create or replace function holdfast.settle_cancels(ids uuid[], details jsonb[])
returns void
language sql volatile
as $$
  select holdfast.end_jobs(
    ids, null, 'cancelled', null,
    array(
      select coalesce(holdfast.sanitise_text(d ->> 'reason'), 'asked to cancel while running')
      from unnest(details) with ordinality as u (d, i)
      order by i
    ),
    holdfast.units_of(details)
  )
$$;
