"""How the rows of the timeline look, and what they say."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from holdfast.dashboard.job.attempts import CALLS, RUNNING, UNRECORDED, Attempt, began
from holdfast.dashboard.job.row import Fault, Row
from holdfast.dashboard.job.waits import UNKNOWN, Wait
from holdfast.model.human_readable import counted
from holdfast.model.job import Job
from holdfast.model.state import ENDS, State
from holdfast.model.timeline import TimelineEntry
from holdfast.report.charts.flow import Bar
from holdfast.report.words import figure, money

# How an attempt ended: its shape, the colour of that, its words.
OUTCOMES = {
    "completed": ("completed", "ok", "completed"),
    "advanced": ("completed", "ok", "completed its stage"),
    RUNNING: ("running", "running", "runs"),
    "failed": ("failed", "attention", "failed"),
    "timed_out": ("failed", "attention", "timed out"),
    "deferred": ("deferred", "", "put off"),
    "lost": ("lost", "attention", "its worker vanished"),
    "forgiven": ("lost", "", "its worker was late"),
    "release": ("deferred", "", "released"),
    "yield": ("deferred", "", "yielded"),
    "snooze": ("deferred", "", "snoozed"),
    "wait": ("waiting", "waiting", "began to wait"),
    "reclaim": ("lost", "", "reclaimed"),
    UNRECORDED: ("deferred", "", "snoozed, waited or was released"),
    "rejected": ("rejected", "rejected", "rejected"),
    "cancelled": ("cancelled", "cancelled", "cancelled"),
    "dead": ("dead", "dead", "dead"),
}
# What else happens to a job. Other entries only move it, which waits and attempts show.
EVENTS = {
    "rules": "Rules matched",
    "cancel": "Cancel asked for",
    "replay": "Replayed",
    "replace": "Replaced",
    "reclaim": "Reclaimed",
    "set_priority": "Priority set",
    "move": "Moved",
    "move_pipeline": "Moved to another version",
    "signal": "Signal",
    "triage": "Triage",
    "note": "Note",
    "complete_as_operator": "Completed by an operator",
    "fail_as_operator": "Failed by an operator",
}
CLASSES = {"rate_limited": "rate limited", "system": "an outage of ours"}


def stage_row(
    stage: str, visit: int, following: str | None, since: datetime, until: datetime, is_open: bool
) -> Row:
    went = f", went on to {following}" if following else ""
    note = f"visit {visit}{', so far' if is_open else went}"
    return Row(stage, note, Bar(since, until, "span"), until - since, is_stage=True)


def wait_row(job: Job, wait: Wait) -> Row:
    words, note, look, colour = _wait_words(job, wait)
    if wait.unseen and not wait.is_open:
        note = "; ".join(filter(None, (note, f"{counted(wait.unseen, 'attempt')} left no record")))
    bar = Bar(wait.since, wait.until, "hold", colour)
    return Row(words, note, bar, wait.length, look if look != UNKNOWN else "waiting", look)


def _wait_words(job: Job, wait: Wait) -> tuple[str, str, str, str]:
    """Words, note, state and colour."""
    if wait.state == State.READY:
        return ("Waits in line" if wait.is_open else "Waited in line"), "", "ready", "ready"
    if wait.state == State.SCHEDULED:
        return *_put_off_words(wait), "scheduled", "scheduled"
    if wait.state == State.WAITING:
        verb = "Waits" if wait.is_open else "Waited"
        return f"{verb} for {waited_for(wait.reason)}", job.order_key or "", "waiting", "quiet"
    return "In line, then tried", "its start was not recorded", UNKNOWN, "quiet"


def _put_off_words(wait: Wait) -> tuple[str, str]:
    after = wait.after.outcome if wait.after else ""
    if after in ("failed", "timed_out"):
        return "Backoff", "before it is tried again"
    if after in ("deferred", "lost", "forgiven") and wait.after:
        cause = CLASSES.get(wait.after.detail.get("class", ""), "")
        return "Put off", ", ".join(filter(None, (cause, "" if after == "lost" else "costs no attempt")))
    if after or wait.unseen:
        return "Put off", ""
    return ("Is not due yet" if wait.is_open else "Was not due yet"), ""


def waited_for(reason: str | None) -> str:
    """`reason`: what a waiting job waits for, as its column has it."""
    kind, _, name = (reason or "").partition(":")
    if kind == "signal":
        return f"the signal {name}"
    return {"children": "its children", "order": "its turn", "budget": "budget of its run"}.get(
        kind, "its turn"
    )


def attempt_rows(attempt: Attempt, failures: int, most: int, now: datetime) -> list[Row]:
    """The attempt, what it did, and the error that ended it."""
    symbol, look, words = OUTCOMES.get(attempt.outcome, ("deferred", "", attempt.outcome))
    until = attempt.until or now
    colour = "failed" if attempt.outcome in ("failed", "timed_out", "lost") else "running"
    said = [_host(attempt), CLASSES.get(attempt.detail.get("class", ""), "") or words]
    if attempt.detail.get("counted"):
        said.append(f"{failures} of {most}")
    elif attempt.words and not attempt.is_error and attempt.outcome in ("release", "yield", "snooze"):
        said.append(attempt.words)
    bar = None if attempt.since is None else Bar(attempt.since, until, "solid", colour)
    took = None if attempt.since is None else until - attempt.since
    note = ", ".join(filter(None, said))
    rows = [Row(f"Attempt {attempt.number}", note, bar, took, symbol, look)]
    rows += [_inner_row(one) for one in attempt.inner]
    if attempt.is_error and attempt.words:
        rows[-1] = replace(rows[-1], fault=_fault(attempt))
    return rows


def _host(attempt: Attempt) -> str:
    host = attempt.detail.get("host")
    return f"on {host}" if host else ""


def _fault(attempt: Attempt) -> Fault:
    kind, colon, message = (attempt.words or "").partition(": ")
    detail = attempt.detail
    return Fault(
        kind if colon else "",
        message if colon else kind,
        detail.get("place") or "",
        detail.get("class") or "",
        detail.get("fingerprint") or "",
    )


def _inner_row(entry: TimelineEntry) -> Row:
    if entry.what not in CALLS:
        return Row(f"Step {entry.words}", "saved", symbol="completed", look="ok", level=1)
    detail, is_model = entry.detail, entry.what == "model call"
    error = detail.get("error")
    bar = Bar(began(entry), entry.at, "solid", "failed" if error else "running")
    return Row(
        "Model call" if is_model else f"Tool {detail.get('name')}",
        ", ".join(_call_words(entry, is_model)),
        bar,
        timedelta(seconds=float(detail.get("seconds") or 0)),
        "failed" if error else "call" if is_model else "tool",
        "attention" if error else "",
        level=1,
    )


def _call_words(entry: TimelineEntry, is_model: bool) -> Iterator[str]:
    detail = entry.detail
    if is_model:
        yield str(detail.get("name"))
    if detail.get("units") is not None:
        yield f"{figure(float(detail['units']))} units"
    if detail.get("cost") is not None:
        yield f"cost {money(float(detail['cost']))}"
    if detail.get("error") or detail.get("finish_reason"):
        yield str(detail.get("error") or detail.get("finish_reason"))


def event_row(job: Job, entry: TimelineEntry) -> Row | None:
    """None for entries that waits and attempts show."""
    if entry.what == "created":
        actor = job.claimed_actor or job.login
        return Row("Enqueued", f"{f'by {actor}, ' if actor else ''}{job.origin}", symbol="enter")
    if entry.what in ENDS or entry.what == "end":
        state = entry.what if entry.what in ENDS else str(entry.detail.get("to"))
        words = (entry.words or "").replace("_", " ") if state == State.DEAD else entry.words
        return Row(state.capitalize(), words or "", symbol=state, look=state)
    words = EVENTS.get(entry.what)
    if words is None or (entry.what == "signal" and entry.words is None):
        return None
    by = f"by {entry.actor}" if entry.actor else ""
    if entry.what == "signal":
        return Row(f"Signal {entry.words}", by, symbol="enter")
    return Row(words, ": ".join(filter(None, (by, _event_note(entry)))), symbol="enter")


def _event_note(entry: TimelineEntry) -> str:
    detail = entry.detail
    where = ""
    if entry.what == "move" and "to_queue" in detail:
        where = f"from {detail['from_queue']} to {detail['to_queue']}"
    elif entry.what == "replay" and "stage" in detail:
        where = f"from stage {detail['stage']}"
    return ", ".join(filter(None, (where, entry.words)))
