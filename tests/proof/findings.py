"""What chaos and the proofs have found, each with the test that would find it again."""

from tests.proof.registry import Line, named

FINDINGS = (
    Line(
        "A rescue passes over rows that are locked just then; the worker that comes back drops them too,"
        " and nobody would ever have ended them.",
        "The first renewal after a rescue, and a new registration, give back all that the worker held.",
        (
            named(
                "sql/renew_lease/test_renewing.py",
                "test_jobs_that_a_rescue_passed_over_are_given_back_by_the_renewal",
            ),
            named(
                "sql/register_worker/test_registering.py",
                "test_jobs_that_a_rescue_passed_over_are_given_back_when_the_worker_registers_again",
            ),
        ),
    ),
    Line(
        "Recovery seemed to take 7 s where 4 s are promised: the clock ran before the worker was dead,"
        " and while nobody could sweep.",
        "It starts at the death; after a time in which rescue was impossible, two sweeps are left."
        " A longer one fails the run.",
        (
            "cli/test_chaos_recovery.py::test_a_recovery_that_took_longer_than_promised_is_late",
            named(
                "cli/test_chaos_recovery.py",
                "test_the_two_sweeps_are_counted_from_when_somebody_could_sweep_again",
            ),
        ),
    ),
    Line(
        "A worker that starts while the database is restarting leaves with exit code 3;"
        " chaos went on with fewer workers, and proved less.",
        "A server that says that it is starting is waited for; one that is not there ends the worker, which"
        " is started again, as a service manager does. One that had begun must not leave by itself.",
        (
            "db/test_connect.py::test_a_server_that_is_starting_is_waited_for",
            "cli/test_chaos_crew.py::test_a_worker_that_left_by_itself_is_replaced_and_told_of",
            "cli/test_chaos_crew.py::test_only_a_worker_that_found_no_database_at_its_start_may_leave",
        ),
    ),
    Line(
        "A host that lost its power between the completion in its transaction and the commit kept the job"
        " locked until TCP noticed, hours later.",
        "From the completion on, its transaction may idle for no longer than a lease.",
        (
            named(
                "sql/complete_in_transaction/test_effects.py",
                "test_a_host_that_dies_before_its_commit_holds_the_job_no_longer_than_a_lease",
            ),
        ),
    ),
    Line(
        "A job that was asked to cancel while its handler's own transaction was about to complete it ended as"
        " cancelled, and its writes stood all the same.",
        "What is done is done: such a job completes with its writes, as any other that ends before it obeys.",
        (
            named(
                "sql/complete_in_transaction/test_effects.py",
                "test_what_is_done_in_spite_of_a_request_to_cancel_is_completed_with_its_effect",
            ),
        ),
    ),
    Line(
        "With the token no longer asked for, chaos passed: every job was so short that whoever woke up late"
        " found it ended, not in another's hands.",
        "Jobs as long as a lease are in the mix, and a database that breaks its promises must fail.",
        ("proof/test_sabotage.py::test_a_sabotaged_database_does_not_pass",),
    ),
    Line(
        "A job that fanned out to several stages kept the failures of the stage that it had left.",
        "It leaves them behind with its stage, as one that goes to a single next one does.",
        (named("proof/test_planting.py", "test_a_stage_that_fans_out_leaves_its_failures_behind"),),
    ),
    Line(
        "A limit that was lowered looked broken as long as what had begun under the old one ran on.",
        "It is known since when it is as it is; only what began later is judged by it.",
        (named("proof/test_planting.py", "test_a_limit_that_is_lowered_lets_what_runs_run_on"),),
    ),
    Line(
        "A rescue before the end of a lease left no trace: no invariant could tell of it.",
        "A lost attempt records until when its lease was good.",
        (named("proof/test_planting.py", "test_a_rescue_that_asks_for_no_lease_makes_leases_overlap"),),
    ),
    Line(
        "A job that was replayed right after it had ended, before its order key's line had moved up, ran at"
        " once although its place was the last.",
        "It has the place that it had.",
        (
            named(
                "sql/advance_order_keys/test_moving_up.py",
                "test_a_head_that_is_replayed_before_its_line_moved_up_has_its_old_place",
            ),
        ),
    ),
    Line(
        "A stage that was asked to cancel just before its transaction's commit ended as cancelled, and its"
        " writes stood.",
        "The transaction is undone; the job is cancelled when its worker gives it back.",
        (
            named(
                "pipeline/test_transaction.py",
                "test_a_stage_that_was_asked_to_cancel_leaves_no_write_of_its_transaction",
            ),
        ),
    ),
    Line(
        "Of two claims under way at once, the one that had looked first and was answered last hid when the"
        " next job was due: after a rate limit of 0.4 s a worker came again after 2.7 s, once in 23 runs.",
        "An answer to a claim that began earlier never puts off what another answer said.",
        (
            named(
                "worker/test_wake.py",
                "test_a_claim_that_is_answered_late_does_not_hide_what_another_was_told",
            ),
        ),
    ),
    Line(
        "A user with CREATE on the database could create the schema first, with a trigger in it; a"
        " superuser's migrate ran the trigger and made that user a superuser.",
        "A migration refuses a schema, table or function of somebody else, naming the owner, before it reads"
        " from any, and finds no function on the user's own path.",
        (
            named(
                "migration/test_foreign.py",
                "test_a_planted_schema_is_refused_before_anything_is_touched",
            ),
            named(
                "migration/test_foreign.py",
                "test_an_object_of_somebody_else_in_a_real_installation_is_refused",
            ),
            named(
                "migration/test_foreign.py",
                "test_functions_that_shadow_those_of_the_system_are_not_called",
            ),
        ),
    ),
    Line(
        "Of 137 shapes of secrets 76 passed redaction, such as bytes, lists, `=>` pairs, signed addresses and"
        " webhooks, and 1,171 of 10,000 ordinary log lines lost words.",
        "None of the shapes passes, and 12 of the lines are touched; the rules stand in one SQL function.",
        (
            "sql/base/test_sanitise_text.py::test_known_shapes_of_secrets_are_taken_out",
            "sql/base/test_sanitise_text.py::test_hardly_a_line_of_a_log_is_touched",
        ),
    ),
    Line(
        "With standard_conforming_strings = off, which a role or a database may set, backslashes in"
        " the verbs' own literals became escapes: a payload with one could not be enqueued.",
        "Literals with a backslash are dollar-quoted, which reads the same under either setting.",
        (
            "migration/test_quoting.py::test_migrate_and_verbs_work_the_same",
            "migration/test_quoting.py::test_an_app_gets_its_payloads_back",
        ),
    ),
    Line(
        "A database URL whose password had an unescaped /, # or ? was read wrongly, and the error showed a"
        " part of the password as a port that is no number.",
        "Such a URL is refused without quoting any of it, and an address that is printed shows no URL.",
        ("db/test_address.py::test_no_part_of_a_password_with_unescaped_characters_is_shown",),
    ),
    Line(
        "A user who was refused a verb was told of four roles, not of the one that may call it.",
        "The hint names the roles that may, from the same list that the grants are made of.",
        (
            "roles/test_refusals.py::test_each_verbs_refusal_names_the_roles_that_may_call_it",
            "roles/test_refusals.py::test_a_user_without_any_role_is_told_which_one",
        ),
    ),
    Line(
        "An argument of the wrong type was quoted in the error, which is stored, logged and shown.",
        "The error tells its type and length.",
        ("client/test_payload.py::test_a_refused_value_is_not_shown",),
    ),
    Line(
        "A line break in an error's message or in a name made what looked like another row of a table, and a"
        " queue's name went unquoted into commands that are printed for copying.",
        "Control characters of values are shown escaped, a traceback is indented, and words of commands are"
        " quoted for the shell.",
        (
            "cli/test_hostile_text.py::test_a_line_break_makes_no_row",
            "cli/test_hostile_text.py::test_a_command_to_copy_is_quoted_for_the_shell",
        ),
    ),
)
