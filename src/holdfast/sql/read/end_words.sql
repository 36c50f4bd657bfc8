-- Formats how and when a job ended for people; of a dead job, the last error and why it was not tried again.
create or replace function holdfast.end_words(past holdfast.history)
returns text
language sql stable
as $$
  select case past.state
    when 'completed' then format('It completed at %s.', holdfast.time_words(past.ended_at))
    when 'dead' then
      format('It died at %s after %s: %s.', holdfast.time_words(past.ended_at),
        case past.attempt when 1 then '1 attempt' else past.attempt || ' attempts' end,
        concat_ws(' ',
          (
            select nullif(rtrim(concat_ws(': ', d.error_type, d.message), '. '), '')
            from holdfast.dead_letters as d
            where d.job_id = past.id
          ),
          case past.reason
            when 'failed_too_often' then '(it has failed as often as its queue allows)'
            when 'lost_too_often' then '(its workers were lost as often as its queue allows)'
            when 'permanent' then '(a permanent error is not retried)'
            when 'deferred_too_long' then '(it waited longer than its queue allows)'
            when 'deadline_passed' then '(its deadline passed)'
            when 'child_failed' then '(a job that it waited for did not complete)'
            when 'given_up' then '(an operator gave it up)'
            else '(' || past.reason || ')'
          end))
    else format('It was %s at %s%s.', past.state, holdfast.time_words(past.ended_at), ': ' || past.reason)
  end
$$;
