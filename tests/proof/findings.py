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
        "A queue, lane or endpoint that a typing error had made stayed for ever, and each claim and each"
        " round of marks visited every lane: with 5,000 endpoints in a queue an empty claim took 200 ms.",
        "What nobody declared and nothing has used for thirty days is removed; a worker with many lanes"
        " visits those with ready jobs only.",
        (
            "plan/test_many_lanes.py::test_a_claim_does_not_visit_lanes_without_ready_jobs",
            "plan/test_many_lanes.py::test_marking_lanes_reads_only_those_with_ready_jobs",
            named(
                "sql/prune_unused/test_removing.py",
                "test_what_a_typing_error_made_goes_after_thirty_days_and_is_recorded",
            ),
            "race/test_removal.py::test_a_job_whose_lane_goes_while_it_is_enqueued_is_claimed",
        ),
    ),
    Line(
        "Lists of queues and endpoints had no end, and the doctor named every queue without a worker.",
        "Lists have a limit and say that there are more; the doctor names ten and a count.",
        (
            "cli/test_many_queues.py::test_lists_of_queues_and_endpoints_have_a_limit_and_go_on",
            "cli/test_many_queues.py::test_the_doctor_names_ten_queues_and_a_count",
        ),
    ),
    Line(
        "A count that was cut off at 10,000 looked like an exact one.",
        "It is shown as more than that, and named in more_than in JSON.",
        ("cli/test_many_queues.py::test_a_count_that_was_cut_off_says_more_than",),
    ),
    Line(
        "A negative number of rows and options that are no object gave an error of PostgreSQL's, or none.",
        "Each verb refuses them with HF002 and says what is allowed.",
        (
            "sql/refusals/test_arguments.py::test_a_negative_number_of_rows_is_refused",
            "sql/refusals/test_arguments.py::test_options_that_are_no_object_are_refused",
        ),
    ),
    Line(
        "Any login can NOTIFY on the channel: a storm of notifications caused 352 claims in a second.",
        "At most 50 in any second; the first ten are acted on at once.",
        (
            "worker/test_wake.py::test_a_storm_of_notifications_by_a_stranger_causes_few_claims",
            "worker/test_wake.py::test_a_storm_of_jobs_causes_few_claims",
        ),
    ),
)
