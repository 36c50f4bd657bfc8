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
)
