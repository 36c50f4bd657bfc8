-- Returns a retry policy in full: a preset's name becomes its object. Raises an error if it is malformed.
create or replace function holdfast.retry_policy(policy jsonb)
returns jsonb
language plpgsql immutable parallel safe
as $$
declare
  given jsonb := policy;
begin
  if policy is null or jsonb_typeof(policy) = 'null' then
    return null;
  end if;
  if jsonb_typeof(policy) = 'string' then
    given := holdfast.retry_preset(policy #>> '{}');
  elsif jsonb_typeof(policy) = 'array' then
    given := jsonb_build_object('delays', policy);
  end if;
  -- Types first: jsonpath unwraps arrays, so [[1]] would pass as [1].
  if jsonb_typeof(given) <> 'object'
    or exists (
      select from jsonb_each(given) as e
      where jsonb_typeof(e.value) <> case e.key when 'delays' then 'array' else 'number' end)
    or exists (
      select from jsonb_path_query(given, 'strict $.delays[*]', silent => true) as d
      where jsonb_typeof(d) <> 'number')
  then
    given := null;
  end if;
  if jsonb_path_exists(given, '$.delays')
    and not jsonb_path_exists(given, '$.keyvalue() ? (@.key != "delays" && @.key != "jitter")')
    and jsonb_path_match(given, 'strict $.delays.type() == "array" && $.delays.size() <= 100', silent => true)
    and not jsonb_path_exists(given, '$.delays[*] ? (!(@.type() == "number" && @ >= 0 && @ <= 31536000))')
    and not jsonb_path_exists(given, '$.jitter ? (!(@.type() == "number" && @ >= 0 && @ <= 10))')
  then
    return given;
  end if;
  if jsonb_path_exists(given, '$.base ? (@.type() == "number" && @ >= 0 && @ <= 31536000)')
    and not jsonb_path_exists(given,
      '$.keyvalue() ? (@.key != "base" && @.key != "factor" && @.key != "cap" && @.key != "jitter"'
      ' && @.key != "tries")')
    and not jsonb_path_exists(given, '$.factor ? (!(@.type() == "number" && @ >= 1 && @ <= 100))')
    and not jsonb_path_exists(given, '$.cap ? (!(@.type() == "number" && @ >= 0 && @ <= 31536000))')
    and not jsonb_path_exists(given, '$.jitter ? (!(@.type() == "number" && @ >= 0 && @ <= 10))')
    and not jsonb_path_exists(given, '$.tries ? (!(@.type() == "number" && @ >= 1 && @ <= 32767))')
  then
    return given;
  end if;
  raise exception using
    errcode = 'HF002',
    message = format('retry must be a list of delays, an object or the name of a preset (got %s).',
      left(policy::text, 200)),
    hint = 'Pass a list of delays in seconds, {"base": 5, "factor": 2, "cap": 300, "jitter": 0.3, "tries": 3}, or one'
      ' of default, analysis-runs, posts, repo-capture, alerts, chat.';
end
$$;
