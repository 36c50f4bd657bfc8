"""The list of the database's metrics: name, kind, labels and meaning. `holdfast metrics` knows no others but
for the figures from outside that `report_metric` stores.
"""

from dataclasses import dataclass

from holdfast.telemetry.prometheus_text import Kind

COUNTER, GAUGE, HISTOGRAM, SUMMARY = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM, Kind.SUMMARY

# Levels: where there are too many series, those of a higher level are left out first.
ALWAYS, STATE, COUNTS, DETAIL = range(4)
_VISIT = ("queue", "task", "pipeline", "stage")


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    kind: Kind
    labels: tuple[str, ...]
    meaning: str
    level: int = COUNTS


SERIES_LEFT_OUT = Metric(
    "holdfast_series_left_out",
    GAUGE,
    (),
    "Series that this answer leaves out because there are more than --max-series.",
    ALWAYS,
)
MAINTENANCE = Metric(
    "holdfast_maintenance_last_success_timestamp_seconds",
    GAUGE,
    ("task",),
    "When a maintenance task last succeeded on any worker, in seconds since the epoch.",
    ALWAYS,
)
WORKERS = Metric(
    "holdfast_workers",
    GAUGE,
    ("group", "state"),
    "Workers by state: working, draining, stopped (until they are forgotten) or lost (the lease has ended).",
    ALWAYS,
)
SLOTS = Metric(
    "holdfast_slots",
    GAUGE,
    ("group",),
    "Jobs that the working and draining workers can run at once.",
    ALWAYS,
)
SLOTS_BUSY = Metric(
    "holdfast_slots_busy",
    GAUGE,
    ("group",),
    "Jobs that these workers said they were running at their last heartbeat.",
    ALWAYS,
)

JOBS = Metric(
    "holdfast_jobs",
    GAUGE,
    ("queue", "state"),
    "Jobs that have not ended, by state: waiting, scheduled, ready or running.",
    STATE,
)
OLDEST_READY = Metric(
    "holdfast_oldest_ready_age_seconds",
    GAUGE,
    ("queue",),
    "How long the oldest ready job has been ready; 0 without one.",
    STATE,
)
SAMPLE_AGE = Metric(
    "holdfast_jobs_sample_age_seconds",
    GAUGE,
    ("queue",),
    "Age of the sample that holdfast_jobs shows for a large queue; other queues have no such series.",
    STATE,
)
QUEUE_PAUSED = Metric(
    "holdfast_queue_paused",
    GAUGE,
    ("queue",),
    "1 while the queue is paused, by name or with all queues.",
    STATE,
)
DEAD_LETTERS = Metric(
    "holdfast_dead_letters_open",
    GAUGE,
    ("queue",),
    "Dead letters whose status is open, counted to 10,000 for each queue.",
    STATE,
)
JOBS_ENDED = Metric(
    "holdfast_jobs_ended_total",
    COUNTER,
    (*_VISIT, "outcome"),
    "Jobs that ended, by outcome: completed, rejected, cancelled or dead.",
    STATE,
)
ENDPOINT_LIMIT = Metric(
    "holdfast_endpoint_limit", GAUGE, ("endpoint",), "Calls that the endpoint may run at once now.", STATE
)
ENDPOINT_IN_FLIGHT = Metric(
    "holdfast_endpoint_in_flight", GAUGE, ("endpoint",), "Calls of the endpoint that run now.", STATE
)
ENDPOINT_CIRCUIT = Metric(
    "holdfast_endpoint_circuit",
    GAUGE,
    ("endpoint", "state"),
    "1 for the state of the circuit, 0 for the others: closed, half_open, open, or held_open by an operator.",
    STATE,
)
ENDPOINT_CALLS = Metric(
    "holdfast_endpoint_calls_total",
    COUNTER,
    ("endpoint", "outcome"),
    "Calls that ended, by outcome: ok, failed, rate_limited (429s) or other (no evidence of its health).",
    STATE,
)

JOBS_ENQUEUED = Metric(
    "holdfast_jobs_enqueued_total",
    COUNTER,
    ("queue", "task", "pipeline"),
    "Jobs that were enqueued; those of a pipeline have no queue and task.",
)
ATTEMPTS_STARTED = Metric(
    "holdfast_attempts_started_total",
    COUNTER,
    _VISIT,
    "Attempts of jobs that have ended or left the stage, counted then.",
)
ATTEMPTS_FAILED = Metric(
    "holdfast_attempts_failed_total",
    COUNTER,
    (*_VISIT, "outcome", "class"),
    "Attempts that did not succeed, by outcome (failed, timed_out, deferred, lost) and class of the error.",
)
RETRIES = Metric(
    "holdfast_retries_total",
    COUNTER,
    _VISIT,
    "Failures and losses that were followed by another attempt, of jobs that have ended or left the stage.",
)
JOBS_RETRIED = Metric(
    "holdfast_jobs_retried_total",
    COUNTER,
    (*_VISIT, "outcome"),
    "Jobs that ended after a retry, by outcome; advanced: the job went on to another stage.",
)
STAGES_LEFT = Metric(
    "holdfast_stages_left_total",
    COUNTER,
    _VISIT,
    "Visits of a stage that ended with the job going on to another stage.",
)
UNITS = Metric(
    "holdfast_units_total", COUNTER, _VISIT, "Units, such as tokens, that ended jobs and visits used."
)
COST = Metric("holdfast_cost_total", COUNTER, _VISIT, "Money that ended jobs and visits cost.")
ENDPOINT_STARTED = Metric(
    "holdfast_endpoint_calls_started_total", COUNTER, ("endpoint",), "Calls that were started."
)
ENDPOINT_SECONDS = Metric(
    "holdfast_endpoint_call_seconds",
    SUMMARY,
    ("endpoint",),
    "How long successful calls took, without quantiles.",
)
ENDPOINT_UNITS = Metric("holdfast_endpoint_units_total", COUNTER, ("endpoint",), "Units that calls used.")
ENDPOINT_COST = Metric("holdfast_endpoint_cost_total", COUNTER, ("endpoint",), "Money that calls cost.")
ENDPOINT_BUDGET = Metric(
    "holdfast_endpoint_budget_left",
    GAUGE,
    ("endpoint",),
    "Money left of the budget of this day (UTC), without what running calls are expected to cost.",
)
RUN_BUDGET = Metric(
    "holdfast_run_budget_left",
    GAUGE,
    ("run", "name", "unit"),
    "What is left of the budget of a run that has not ended, as money or units; the newest 100 such runs.",
)

JOB_WAIT = Metric(
    "holdfast_job_wait_seconds",
    HISTOGRAM,
    ("queue", "pipeline", "stage"),
    "How long jobs were ready before their last attempt, counted at the end of the job or stage.",
    DETAIL,
)
JOB_RUN = Metric(
    "holdfast_job_run_seconds",
    HISTOGRAM,
    ("queue", "pipeline", "stage"),
    "How long the last attempt ran, counted at the end of the job or stage.",
    DETAIL,
)
CALLS = Metric(
    "holdfast_calls_total",
    COUNTER,
    ("kind", "name", "outcome"),
    "Calls of models and tools that agents made, by outcome: ok or error.",
    DETAIL,
)
CALL_SECONDS = Metric(
    "holdfast_call_seconds",
    SUMMARY,
    ("kind", "name"),
    "How long these calls took, without quantiles.",
    DETAIL,
)
CALL_UNITS = Metric(
    "holdfast_call_units_total", COUNTER, ("kind", "name"), "Units that these calls used.", DETAIL
)
CALL_COST = Metric(
    "holdfast_call_cost_total", COUNTER, ("kind", "name"), "Money that these calls cost.", DETAIL
)
REPORT_AGE = Metric(
    "holdfast_report_age_seconds",
    GAUGE,
    ("metric",),
    "How long ago the newest value of a figure from outside was reported.",
    DETAIL,
)

# In the order of the output.
METRICS: tuple[Metric, ...] = (
    *(SERIES_LEFT_OUT, MAINTENANCE, WORKERS, SLOTS, SLOTS_BUSY),
    *(JOBS, OLDEST_READY, SAMPLE_AGE, QUEUE_PAUSED, DEAD_LETTERS, JOBS_ENQUEUED, ATTEMPTS_STARTED),
    *(JOBS_ENDED, STAGES_LEFT, ATTEMPTS_FAILED, RETRIES, JOBS_RETRIED, UNITS, COST, JOB_WAIT, JOB_RUN),
    *(ENDPOINT_LIMIT, ENDPOINT_IN_FLIGHT, ENDPOINT_CIRCUIT, ENDPOINT_CALLS, ENDPOINT_STARTED),
    *(ENDPOINT_SECONDS, ENDPOINT_UNITS, ENDPOINT_COST, ENDPOINT_BUDGET, RUN_BUDGET),
    *(CALLS, CALL_SECONDS, CALL_UNITS, CALL_COST, REPORT_AGE),
)


def reported(name: str, labels: tuple[str, ...]) -> Metric:
    """A figure from outside, under the name that it was reported with."""
    return Metric(name, GAUGE, labels, "Reported from outside by report_metric.", DETAIL)
