-- What is wrong with a setting, from PostgreSQL's message about it: in any language it names the constraint.
create or replace function holdfast.setting_problem(message text)
returns text
language sql immutable parallel safe
as $$
  select coalesce(
    (
      select c.words
      from (values
        ('endpoint_name_is_short', 'the name must have 1 to 200 characters'),
        ('pipeline_name_is_short', 'the name must have 1 to 200 characters'),
        ('queue_ageing_positive', 'ageing must be between 0.000001 and 1000000'),
        ('queue_cancel_grace_not_negative', 'cancel_grace must be 0 or more'),
        ('queue_detail_known', 'detail must be off, basic or full'),
        ('queue_logs_known', 'logs must be off, errors or all'),
        ('queue_max_failures_positive', 'max_failures must be at least 1'),
        ('queue_max_losses_positive', 'max_losses must be at least 1'),
        ('queue_max_wait_positive', 'max_wait must be more than 0'),
        ('queue_name_is_short', 'the name must have 1 to 200 characters'),
        ('queue_payload_limit_positive', 'payload_limit must be more than 0'),
        ('queue_priority_in_range', 'priority must be 0 to 100'),
        ('queue_retention_positive', 'retention must be more than 0'),
        ('queue_stats_label_is_short', 'stats_label must have 1 to 200 characters'),
        ('queue_timeout_positive', 'timeout must be more than 0'),
        ('queue_weight_positive', 'weight must be between 0.000001 and 1000000'),
        ('rebalance_least_depth_positive', 'least_depth must be at least 1'),
        ('rebalance_max_jobs_in_range', 'max_jobs must be 1 to 10000'),
        ('rebalance_needs_two_queues', 'the two queues must differ'),
        ('rebalance_ratio_above_one', 'ratio must be more than 1, and at most 1000000'),
        ('rule_condition_is_short', 'condition must have at most 1024 bytes'),
        ('rule_has_an_effect', 'a rule needs points or a queue'),
        ('rule_name_is_short', 'the name must have 1 to 200 characters'),
        ('rule_points_in_range', 'points must be -100 to 100'),
        ('rule_queue_is_short', 'queue must have 1 to 200 characters'),
        ('rule_set_base_in_range', 'base must be 0 to 100'),
        ('rule_set_kind_known', 'kind must be task or queue'),
        ('schedule_cron_is_short', 'cron must have 1 to 200 characters'),
        ('schedule_every_is_whole_seconds', 'every must be a whole number of seconds, at most 366 days'),
        ('schedule_has_one_timing', 'a schedule needs either cron or every'),
        ('schedule_missed_known', 'missed must be skip, last or all'),
        ('schedule_name_is_short', 'the name must have 1 to 100 characters'),
        ('schedule_overlap_known', 'overlap must be allow or skip'),
        ('schedule_starts_one_thing', 'a schedule needs either a task or a pipeline'),
        ('schedule_target_is_short', 'the task or pipeline must have 1 to 200 characters'),
        ('schedule_tz_is_short', 'tz must have 1 to 100 characters'),
        ('stage_max_visits_in_range', 'max_visits must be 1 to 1000'),
        ('stage_name_is_short', 'the name of a stage must have 1 to 200 characters'),
        ('stage_on_reject_known', 'on_reject must be end, retry or dead'),
        ('stage_timeout_positive', 'timeout must be more than 0'),
        ('task_max_failures_positive', 'max_failures must be at least 1'),
        ('task_priority_in_range', 'priority must be 0 to 100'),
        ('task_timeout_positive', 'timeout must be more than 0')
      ) as c (name, words)
      where c.name = any (regexp_split_to_array(message, '[^a-z_]+'))
    ),
    substring(message from '^null value in column "([a-z_]+)"') || ' must have a value',
    substring(message from '"[^"]*"') || ' is not a valid value',
    message)
$$;
