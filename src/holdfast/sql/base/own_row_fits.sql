-- Whether the payload and the attempts of a job fit a filter, as far as its own row says so; null: other tables decide.
-- tries: its attempts and what was counted of them; one that succeeded at its first attempt has no error.
create or replace function holdfast.own_row_fits(filter jsonb, payload json, tries integer)
returns boolean
language sql immutable parallel safe
as $$
  select case
    when not filter ?| '{payload,fingerprint}' then true
    when filter ? 'fingerprint' and tries < 2 then false
    when filter ? 'quick'
      and coalesce(payload #>> string_to_array(filter #>> '{quick,0}', '.'), 'null') <> filter #>> '{quick,1}'
      and payload is not null then false
    when filter ? 'payload' and payload is not null and not holdfast.has_values(payload, filter -> 'payload') then false
    when filter ? 'fingerprint' or payload is null then null
    else true
  end
$$;
