"""Reads a report in one snapshot, so that its sums agree, and puts its parts together."""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.client.report import parts
from holdfast.client.report.bottleneck import pipelines
from holdfast.client.report.facts import READ, Facts, read_facts
from holdfast.client.report.period import choose_period
from holdfast.client.report.problems import find_problems
from holdfast.db import clock
from holdfast.db.connect import Database
from holdfast.model.duration import Duration
from holdfast.model.report import Part, Report

WORKERS = 20
LEFT = 24  # hours and groups in which workers left


async def read_report(database: Database, since: Duration) -> Report:
    """What happened in the last `since`, and how queues, endpoints and workers are now."""
    async with database.snapshot() as on:
        now = await clock.now(on)
        facts = await read_facts(on, choose_period(since, now), now)
    made = _assemble(facts)
    return replace(made, problems=find_problems(made, facts))


def _assemble(facts: Facts) -> Report:
    ended = facts.ends_of("all")
    return Report(
        generated_at=facts.now,
        period=facts.period,
        problems=[],
        ended=ended,
        ended_before=facts.ends_of("before"),
        retries=parts.retries(ended),
        timeline=parts.slices(facts.period, facts.ends),
        queues=parts.queues(facts),
        tasks=parts.tasks(facts),
        models=parts.models(facts),
        errors=parts.errors(facts.errors),
        endpoints=parts.endpoints(facts),
        pipelines=pipelines(facts),
        slowest=parts.slowest(facts.slowest),
        workers=Part(
            facts.workers[:WORKERS], max(0, len(facts.workers) - WORKERS), len(facts.workers) == READ
        ),
        left_workers=Part(facts.left[:LEFT], max(0, len(facts.left) - LEFT)),
        notes=list(_notes(facts)),
    )


def _notes(facts: Facts) -> Iterator[str]:
    """Where a figure is less than the whole."""
    if any(row.is_partial for row in facts.ends):
        yield "Ends: only the newest 200,000 counts of a minute, queue, task and end were read."
    if facts.errors.total.is_partial:
        yield "Errors: only the newest 100,000 attempts that went wrong were read."
    if any(row.is_partial for row in facts.slowest):
        yield "Slowest jobs: chosen among the 10,000 ended jobs that were enqueued last."
    if any(queue.more_than for queue in facts.queues.values()):
        yield (
            "Queues: each state is counted to 10,000; a figure with > or + is the least that there are;"
            " the newest sample, in brackets or under the pointer, is exact."
        )
    for name, found in (("Queues", facts.queues), ("Endpoints", facts.endpoints), ("Workers", facts.workers)):
        if len(found) == READ:
            yield f"{name}: the first {READ:,} were read; there are more."
