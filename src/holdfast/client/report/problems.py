"""What a person should look at first, worst first."""

import shlex
from collections.abc import Iterator

from holdfast.client.report.facts import Facts
from holdfast.client.report.late_queue import Kind, Ranked, late_queue, worst_first
from holdfast.model.endpoint import Circuit
from holdfast.model.human_readable import counted
from holdfast.model.report import Problem, Report, Weight

NEAR = 0.8  # of a budget
MANY_ERRORS = 10
ERRORS_NAMED = 3


def find_problems(report: Report, facts: Facts) -> list[Problem]:
    return worst_first(
        [
            *_dead(report),
            *_endpoints(report),
            *_queues(report, facts),
            *_pipelines(report, facts),
            *_errors(report),
        ]
    )


def _dead(report: Report) -> Iterator[Ranked]:
    dead = report.ended.dead
    if dead:
        worst = max(report.queues.items, key=lambda one: one.ends.dead, default=None)
        many = "All" if worst and worst.ends.dead == dead else f"{worst.ends.dead:,}" if worst else ""
        where = f"{many} of them in {worst.name}. " if worst and worst.ends.dead else ""
        before = f"{report.ended_before.dead or 'None'} died in the period before."
        title = f"{counted(dead, 'job')} died"
        words = f"{where}{before}"
        yield Ranked(Problem(Weight.BAD, title, words, "throughput", "holdfast dead groups"), Kind.DEAD)


def _endpoints(report: Report) -> Iterator[Ranked]:
    for one in report.endpoints.items:
        command = f"holdfast endpoints show {shlex.quote(one.name)}"
        words = f"Calls to it wait. {counted(one.failed, 'call')} failed since {one.since:%H:%M}."
        yield from open_circuit(one.name, one.circuit, words)
        if one.budget_per_day and one.spent_today >= NEAR * one.budget_per_day:
            share = one.spent_today / one.budget_per_day
            words = f"{one.spent_today:,.2f} of {one.budget_per_day:,.2f} for this day (UTC)."
            title = f"{one.name} has used {share:.0%} of its budget"
            yield Ranked(
                Problem(Weight.ATTENTION, title, words, "endpoints", command, one.name), Kind.OTHER, share
            )


def open_circuit(name: str, circuit: Circuit, words: str) -> Iterator[Ranked]:
    if circuit is not Circuit.CLOSED:
        weight = Weight.ATTENTION if circuit is Circuit.HALF_OPEN else Weight.BAD
        title = f"The circuit of {name} is {circuit.replace('_', ' ')}"
        command = f"holdfast endpoints show {shlex.quote(name)}"
        yield Ranked(Problem(weight, title, words, "endpoints", command, name), Kind.CIRCUIT)


def _queues(report: Report, facts: Facts) -> Iterator[Ranked]:
    """Without the stages of a pipeline whose bottleneck is named: they are late because of it."""
    named = {
        stage.queue for one in report.pipelines.items if one.bottleneck is not None for stage in one.stages
    }
    for one in report.queues.items:
        flow = facts.flows.get(one.name)
        if one.name not in named and flow and (late := late_queue(flow, facts.now, facts.limits)):
            yield late


def _pipelines(report: Report, facts: Facts) -> Iterator[Ranked]:
    """Each does as much harm as the queue of its bottleneck."""
    for one in report.pipelines.items:
        if one.bottleneck is not None:
            reasons = "; ".join(one.bottleneck.reasons)
            problem = Problem(
                Weight.ATTENTION,
                f"{one.bottleneck.stage} holds up the pipeline {one.name}",
                f"{reasons[:1].upper()}{reasons[1:]}.",
                "pipelines",
                f"holdfast pipelines show {shlex.quote(one.name)}",
                one.name,
            )
            queue = next(stage.queue for stage in one.stages if stage.name == one.bottleneck.stage)
            flow = facts.flows.get(queue)
            late = late_queue(flow, facts.now, facts.limits) if flow else None
            yield Ranked(problem, late.kind, late.harm) if late else Ranked(problem, Kind.LATE)


def _errors(report: Report) -> Iterator[Ranked]:
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
            command = f"holdfast jobs show {one.sample}"
            yield Ranked(Problem(Weight.ATTENTION, title, words, "errors", command), Kind.OTHER, one.attempts)
