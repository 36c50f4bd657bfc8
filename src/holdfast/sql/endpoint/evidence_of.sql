-- What a failed call tells of its endpoint: good, bad or none. A worker that does not say it means the endpoint by a transient failure.
create or replace function holdfast.evidence_of(class text, detail jsonb)
returns text
language sql immutable
as $$
  select case
    when detail ->> 'evidence' in ('good', 'bad', 'none') then detail ->> 'evidence'
    when class = 'transient' then 'bad'
    else 'none'
  end
$$;
comment on function holdfast.evidence_of(text, jsonb) is 'What a failed call tells of its endpoint: good, bad or none.';
