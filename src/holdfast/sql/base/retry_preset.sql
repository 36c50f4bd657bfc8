-- The retry policy that a name stands for; null for an unknown name.
create or replace function holdfast.retry_preset(preset text)
returns jsonb
language sql immutable parallel safe
as $$
  select case preset
    when 'default' then '{"base": 5, "factor": 2, "cap": 300, "jitter": 0.3, "tries": 3}'
    when 'analysis-runs' then '{"base": 300, "factor": 2, "cap": 2400, "jitter": 0, "tries": 3}'
    when 'posts' then '{"delays": [60, 300, 900]}'
    when 'repo-capture' then '{"base": 60, "factor": 2, "cap": 3600, "jitter": 0, "tries": 4}'
    when 'alerts' then '{"base": 1, "factor": 2, "cap": 300, "jitter": 0.3, "tries": 3}'
    when 'chat' then '{"delays": [0, 0]}'
  end::jsonb
$$;
