"""The verdict on a run: how far it is and when it ends, or what keeps it from ending."""

from datetime import datetime, timedelta

from holdfast.dashboard.job.verdict import Verdict
from holdfast.model.human_readable import counted
from holdfast.model.run_progress import RunProgress
from holdfast.report.words import duration, percent

IN_MINUTES = timedelta(minutes=2)  # a duration is written in minutes from here on


def verdict_on(run: RunProgress) -> Verdict:
    if run.ended_at is not None:
        return _of_ended(run, run.ended_at)
    if run.blocker is not None:
        return Verdict("failed", "attention", "It waits for a larger budget.", _after_colon(run.blocker))
    if run.total == 0:
        return Verdict("waiting", "waiting", "It has no job yet.", "Jobs join it until it is sealed.")
    if run.ended == run.total and run.state == "open":
        words = f"{_all(run.total)} ended."
        return Verdict("failed", "attention", words, "The run is not sealed: more jobs may join it.")
    return _of_going(run)


def _of_going(run: RunProgress) -> Verdict:
    left = run.total - run.ended
    if run.eta is not None:
        words = f"About {roughly(run.eta)} left, {spread(run)}:"
    elif run.no_eta:
        words = f"Nothing tells when it ends: {run.no_eta}."
    else:
        words = "Nothing tells when it ends."
    done = f"{run.ended:,} of {counted(run.total, 'job')} ended, {left:,} to go."
    if run.dead:
        return Verdict("failed", "attention", words, f"{done} {_dead(run)}")
    return Verdict("running", "running", words, done)


def _of_ended(run: RunProgress, ended_at: datetime) -> Verdict:
    took = duration(ended_at - run.started_at)
    if run.state == "cancelled":
        rest = f"{run.completed:,} of {counted(run.total, 'job')} had completed."
        return Verdict("cancelled", "cancelled", f"Cancelled after {took}.", rest)
    if run.dead:
        words = f"{run.dead:,} of {counted(run.total, 'job')} died;"
        return Verdict("dead", "bad", words, f"{run.completed:,} completed. It took {took}.")
    if run.completed == run.total:
        return Verdict("completed", "ok", f"{_all(run.total)} completed in {took}.")
    others = f"{run.rejected:,} were rejected and {run.cancelled:,} cancelled. It took {took}."
    share = percent(run.completed / run.total)
    return Verdict("completed", "ok", f"{run.completed:,} jobs completed, {share}:", others)


def roughly(length: timedelta) -> str:
    """To the second at most: an estimate has no tenths."""
    return duration(timedelta(seconds=max(1, round(length.total_seconds()))))


def clock_after(length: timedelta, now: datetime) -> datetime:
    """When a time that `roughly` writes is over: from a minute to a minute if it is written in minutes."""
    if length < IN_MINUTES:
        return now + length
    return now.replace(second=0, microsecond=0) + timedelta(minutes=round(length.total_seconds() / 60))


def clock_style(length: timedelta) -> str:
    return "day" if length.days else "seconds" if length < IN_MINUTES else "time"


def spread(run: RunProgress) -> str:
    """Of the time left, in nine of ten cases."""
    if run.eta_low is None or run.eta_high is None:
        return ""
    return f"{roughly(run.eta_low)} to {roughly(run.eta_high)}"


def _all(total: int) -> str:
    return "Its only job has" if total == 1 else f"All {total:,} jobs"


def _dead(run: RunProgress) -> str:
    return "One of them is dead." if run.dead == 1 else f"{run.dead:,} of them are dead."


def _after_colon(words: str) -> str:
    """Without the run's id, which stands above."""
    rest = words.partition(": ")[2] or words
    return f"{rest[:1].upper()}{rest[1:]}"
