-- What is wrong with a payload, or null. A quick check finds candidates; only those are read token by token.
create or replace function holdfast.payload_problem(document text)
returns text
language sql immutable parallel safe
as $$
  select case
    when document is null then '$ is null in SQL, which is not a JSON value'
    when strpos(document, $re$\u$re$) > 0 and document ~ $re$\\u(0000|[dD][89a-fA-F])$re$
      or document ~ '[eE][-+]?[0-9]{3}'
      or octet_length(document) > 128 and (
        document ~ '[0-9]{200}'
        or length(document) - length(translate(document, '[{', '')) > 64 and holdfast.is_deep(document)
      )
    then holdfast.scan_payload(document)
  end
$$;
