-- What is wrong with a payload, or null. The quick look suspects; only then is the text read token by token.
create or replace function holdfast.payload_problem(payload json)
returns text
language sql immutable parallel safe
as $$
  select case
    when payload is null then '$ is missing'
    when payload::text ~ '\\u(0000|[dD][89a-fA-F])'
      or payload::text ~ '[0-9]{250}|[eE][-+]?[0-9]{3}'
      or octet_length(payload::text) > 128
        and length(payload::text) - length(translate(payload::text, '[{', '')) > 64
    then holdfast.find_payload_problem(payload::text)
  end
$$;
comment on function holdfast.payload_problem(json) is 'What is wrong with a payload, with its JSON path, or null.';
