"""Faults of what is around workers and database: input, model servers, migrations, poolers."""

from tests.proof.line import Line, named

AROUND = (
    Line(
        "200 equal unique keys, half of them rolled back",
        "one job, one id",
        ("race/test_keys.py::test_two_hundred_equal_unique_keys_half_undone_are_one_job",),
        "the same over HTTP: there is no HTTP API yet",
    ),
    Line(
        "hostile input: NUL, lone surrogate, NaN, number bomb, depth 10^5",
        "refused with its path, flat memory",
        (
            named(
                "sql/enqueue_jobs/test_payload_limits.py",
                "test_a_payload_that_would_not_come_back_equal_is_refused",
            ),
            named(
                "sql/enqueue_jobs/test_payload_limits.py",
                "test_a_payload_too_deep_for_the_servers_parser_harms_nothing",
            ),
            named(
                "sql/test_read_payloads.py",
                "test_a_hundred_thousand_brackets_are_refused_with_their_path",
            ),
            "client/test_payload.py::test_an_argument_that_would_not_come_back_equal_is_refused_by_name",
            "sql/fail_jobs/test_error_text.py::test_an_enormous_error_is_cut_and_recorded",
        ),
        "endless bodies and slow clients: there is no HTTP API yet",
    ),
    Line(
        "a model server that answers 429 or 500, hangs, drips, answers 200 with an error inside, is down for"
        " a day",
        "no job dies of it, each call is ended by its timeout; a job that alone makes it fail is dead in the"
        " end",
        (
            "sql/endpoints/test_outage.py::test_a_day_without_the_endpoint_makes_no_job_dead",
            "sql/endpoints/test_evidence.py::test_an_outage_that_begins_between_two_tries_kills_no_job_in_a_day",
            named(
                "sql/endpoints/test_evidence.py",
                "test_five_jobs_that_always_fail_die_beside_others_and_the_server_is_used",
            ),
            "worker/test_endpoints.py::test_an_answer_decides_how_the_attempt_ends",
            "worker/test_endpoints.py::test_after_retry_after_the_worker_comes_again_in_time",
            "agent/test_failures.py::test_a_busy_server_is_waited_for_at_no_cost",
            "agent/test_failures.py::test_a_server_that_hangs_or_drips_is_left_after_the_timeout",
            "agent/test_failures.py::test_other_troubles_are_transient",
        ),
    ),
    Line(
        "10,000 retries after an outage",
        "no thundering herd: single probes, then as many calls as the limit allows, which rises step by step",
        (
            named(
                "proof/test_after_an_outage.py",
                "test_ten_thousand_retries_that_are_due_when_an_endpoint_is_back_come_as_a_ramp",
            ),
            "flow/test_virtual_time.py::test_what_waited_long_is_done_soon_after",
        ),
    ),
    Line(
        "a snapshot held open",
        "claims stay fast, the doctor names the holder",
        (
            "cli/test_doctor.py::test_an_old_transaction_is_named_by_its_process",
            "chaos:long-transaction",
        ),
        "five whole minutes at full speed: measured by the benchmarks, not by a test",
    ),
    Line(
        "a migration under load, killed, repeated",
        "locks for two seconds at most, leaves nothing half done",
        (
            "migration/test_migrate.py::test_a_migration_gives_way_after_two_seconds_and_tries_again",
            "migration/test_migrate.py::test_a_migration_whose_connection_is_killed_leaves_nothing",
            "migration/test_migrate.py::test_ten_migrations_at_once_do_the_work_once",
            "migration/test_migrate.py::test_an_older_program_does_not_replace_a_newer_set_of_functions",
        ),
    ),
    Line(
        "old and new version together",
        "both work",
        (
            named(
                "migration/test_together.py",
                "test_a_worker_goes_on_while_newer_versions_replace_tables_and_functions",
            ),
            "migration/test_together.py::test_no_verb_or_column_that_another_version_uses_is_gone_or_changed",
            "migration/test_together.py::test_a_change_that_would_break_another_version_is_noticed",
        ),
        "two releases that are really different: the newer one is this one and what a test adds to it; the "
        "older one's calls are the recorded signatures",
    ),
    Line(
        "a pooler in transaction mode",
        "the core of the suite passes",
        (
            "proof/test_pooler.py::test_jobs_go_through_a_pooler_from_enqueue_to_result",
            "proof/test_pooler.py::test_failures_steps_and_effects_hold_through_a_pooler",
            "proof/test_pooler.py::test_a_lost_worker_behind_a_pooler_is_rescued",
            "proof/test_pooler.py::test_a_migration_runs_through_a_pooler",
        ),
        "the rest of the suite: it needs features that no pooler offers",
    ),
)
