"""The whole at a glance, with a verdict: what live updates and a dashboard show first."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.client.report.late_queue import Kind, Ranked, late_queue, worst_first
from holdfast.client.report.problems import open_circuit
from holdfast.db import overview
from holdfast.db.statement import Executor
from holdfast.model.endpoint import Circuit
from holdfast.model.human_readable import counted
from holdfast.model.overview import Overview
from holdfast.model.report import Problem, Weight


async def read_overview(
    on: Executor, queues: Sequence[str] | None = None, with_errors: bool = True
) -> Overview:
    """Of all queues, or of some and nothing else. Errors are what takes longest where many attempts fail."""
    return judged(await overview.overview(on, queues, with_errors))


def judged(found: Overview) -> Overview:
    """With its problems, worst first."""
    problems = worst_first(_problems(found))
    return replace(found, problems=problems, verdict=problems[0].weight if problems else "ok")


def _problems(found: Overview) -> Iterator[Ranked]:
    endpoints = {one.name: one for one in found.endpoints}
    for one in found.queues:
        if one.dead:
            title = f"{one.name} has {counted(one.dead, 'open dead letter')}"
            command = f"holdfast dead groups --queue {shlex.quote(one.name)}"
            words = "Find the cause, then replay or resolve them."
            yield Ranked(Problem(Weight.BAD, title, words, "dead", command, one.name), Kind.DEAD, one.dead)
        if late := late_queue(one, found.now, endpoints):
            yield late
    for endpoint in found.endpoints:
        yield from open_circuit(endpoint.name, Circuit(endpoint.circuit), "Calls to it wait.")
