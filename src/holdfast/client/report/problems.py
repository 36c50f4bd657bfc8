"""What a person should look at first, worst first."""

import shlex
from collections.abc import Iterator
from datetime import timedelta

from holdfast.model.duration import short
from holdfast.model.endpoint import Circuit
from holdfast.model.human_readable import counted
from holdfast.model.report import Problem, Report, Weight

MOST = 8
LATE = timedelta(minutes=5)
NEAR = 0.8  # of a budget
MANY_ERRORS = 10
ERRORS_NAMED = 3


def find_problems(report: Report) -> list[Problem]:
    found = [
        *_dead(report),
        *_endpoints(report),
        *_queues(report),
        *_pipelines(report),
        *_errors(report),
    ]
    return sorted(found, key=lambda one: one.weight is not Weight.BAD)[:MOST]


def _dead(report: Report) -> Iterator[Problem]:
    dead = report.ended.dead
    if dead:
        worst = max(report.queues.items, key=lambda one: one.ends.dead, default=None)
        many = "All" if worst and worst.ends.dead == dead else f"{worst.ends.dead:,}" if worst else ""
        where = f"{many} of them in {worst.name}. " if worst and worst.ends.dead else ""
        before = f"{report.ended_before.dead or 'None'} died in the period before."
        title = f"{counted(dead, 'job')} died"
        yield Problem(Weight.BAD, title, f"{where}{before}", "throughput", "holdfast dead groups")


def _endpoints(report: Report) -> Iterator[Problem]:
    for one in report.endpoints.items:
        command = f"holdfast endpoints show {shlex.quote(one.name)}"
        words = f"Calls to it wait. {counted(one.failed, 'call')} failed since {one.since:%H:%M}."
        yield from open_circuit(one.name, one.circuit, words)
        if one.budget_per_day and one.spent_today >= NEAR * one.budget_per_day:
            share = one.spent_today / one.budget_per_day
            words = f"{one.spent_today:,.2f} of {one.budget_per_day:,.2f} for this day (UTC)."
            yield Problem(
                Weight.ATTENTION,
                f"{one.name} has used {share:.0%} of its budget",
                words,
                "endpoints",
                command,
            )


def open_circuit(name: str, circuit: Circuit, words: str) -> Iterator[Problem]:
    if circuit is not Circuit.CLOSED:
        weight = Weight.ATTENTION if circuit is Circuit.HALF_OPEN else Weight.BAD
        title = f"The circuit of {name} is {circuit.replace('_', ' ')}"
        yield Problem(weight, title, words, "endpoints", f"holdfast endpoints show {shlex.quote(name)}")


def _queues(report: Report) -> Iterator[Problem]:
    """Without the stages of a pipeline whose bottleneck is named: they are late because of it."""
    named = {
        stage.queue for one in report.pipelines.items if one.bottleneck is not None for stage in one.stages
    }
    for one in report.queues.items:
        if one.name not in named:
            yield from late_queue(
                one.name,
                one.ready,
                one.oldest_ready,
                is_paused=one.is_paused,
                is_served=one.workers > 0,
                more="ready" in one.more_than,
            )


def late_queue(
    name: str, ready: int, oldest: timedelta | None, *, is_paused: bool, is_served: bool, more: bool
) -> Iterator[Problem]:
    """A queue whose ready jobs do not start; `more`: not all of them were counted."""
    title = _lateness(name, oldest, is_paused, is_served)
    if ready and title:
        least = "More than " if more else ""
        age = "" if oldest is None else f", the oldest for {short(oldest)}"
        words = f"{least}{counted(ready, 'job')} ready{age}."
        command = f"holdfast queues show {shlex.quote(name)}"
        yield Problem(Weight.ATTENTION, title, words, "queues", command)


def _lateness(name: str, oldest: timedelta | None, is_paused: bool, is_served: bool) -> str | None:
    if is_paused:
        return f"{name} is paused"
    if not is_served:
        return f"No live worker takes {name}"
    return f"{name} falls behind" if (oldest or timedelta(0)) > LATE else None


def _pipelines(report: Report) -> Iterator[Problem]:
    for one in report.pipelines.items:
        if one.bottleneck is not None:
            reasons = "; ".join(one.bottleneck.reasons)
            yield Problem(
                Weight.ATTENTION,
                f"{one.bottleneck.stage} holds up the pipeline {one.name}",
                f"{reasons[:1].upper()}{reasons[1:]}.",
                "pipelines",
                f"holdfast pipelines show {shlex.quote(one.name)}",
            )


def _errors(report: Report) -> Iterator[Problem]:
    """An error is new only where the period before had jobs too."""
    if 10 * report.ended_before.jobs < report.ended.jobs:
        return
    for one in report.errors.items[:ERRORS_NAMED]:
        if one.attempts >= MANY_ERRORS and one.attempts >= 2 * one.before:
            name = one.error_type or "An error without a type"
            title = f"{name} is new" if one.before == 0 else f"{name} is more frequent"
            since = "none" if one.before == 0 else f"{one.before:,}"
            attempts = f"{counted(one.attempts, 'attempt')} of {counted(one.jobs, 'job')}"
            words = f"{attempts}, {since} in the period before."
            yield Problem(Weight.ATTENTION, title, words, "errors", f"holdfast jobs show {one.sample}")
