-- What is wrong with one JSON string or number, or null.
create or replace function holdfast.value_problem(token text)
returns text
language sql immutable parallel safe
as $$
  select case
    when left(token, 1) = '"' then case
      -- A pair of surrogates is one character; one that is left after removing pairs and escaped backslashes is alone.
      when regexp_replace(
          replace(token, $re$\\$re$, '..'),
          $re$\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}$re$, '', 'g'
        ) ~ $re$\\u[dD][89a-fA-F]$re$ then ' contains half of a surrogate pair'
      when replace(token, $re$\\$re$, '..') ~ $re$\\u0000$re$ then ' contains a NUL character'
    end
    when token ~ '^-?[0-9]' then case
      when length(token) > 400 then ' is a number of more than 400 digits'
      when token ~ '[eE]' and substring(token from '[eE]([-+]?[0-9]{1,9})')::integer > 308
        or token ~ '[eE][-+]?[0-9]{10}' then ' is a number beyond 1e308'
      -- The smallest double is 5e-324; up to half of it is read as 0.
      when token ~ '[eE]' and substring(token from '[eE]([-+]?[0-9]{1,9})')::integer < -324
        or token ~ '[.eE]' and abs(token::numeric) < 2.4703282292062328e-324 and token ~ '^-?[0.]*[1-9]'
        then ' is a number so small that it reads as 0'
      -- Many digits and an allowed exponent together: a double reader gets infinity.
      when token ~ '[.eE]' and abs(token::numeric) > 1.7976931348623157e308 then ' is a number beyond 1e308'
    end
  end
$$;
