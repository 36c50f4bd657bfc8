-- Whether a job fits a filter by what other tables say: by a large payload, by the error of its latest failed attempt.
-- Called where own_row_fits is null. read_bytes is what was read of a large payload.
create or replace function holdfast.look_closer(filter jsonb, job uuid, payload json, out fits boolean,
  out read_bytes integer)
language plpgsql stable
as $$
declare
  large text;
begin
  fits := true;
  read_bytes := 0;
  if filter ? 'fingerprint' then
    fits := coalesce((
      select a.fingerprint = filter ->> 'fingerprint'
      from holdfast.attempts as a
      where a.job_id = job
      order by a.attempt desc
      limit 1), false);
  end if;
  if fits and filter ? 'payload' and payload is null then
    select p.payload::text into large from holdfast.payloads as p where p.job_id = job;
    fits := large is not null and holdfast.has_values(large::json, filter -> 'payload');
    read_bytes := coalesce(octet_length(large), 0);
  end if;
end
$$;
