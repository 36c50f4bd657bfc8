"""The whole at a glance, with a verdict: what live updates and a dashboard show first."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.client.report.parts import age
from holdfast.client.report.problems import MOST, late_queue, open_circuit
from holdfast.db import overview
from holdfast.db.statement import Executor
from holdfast.model.endpoint import Circuit
from holdfast.model.human_readable import counted
from holdfast.model.overview import Overview
from holdfast.model.report import Problem, Weight


async def read_overview(on: Executor, queues: Sequence[str] | None = None) -> Overview:
    """Of all queues, or of some and nothing else."""
    return judged(await overview.overview(on, queues))


def judged(found: Overview) -> Overview:
    """With its problems, worst first."""
    problems = sorted(_problems(found), key=lambda one: one.weight is not Weight.BAD)[:MOST]
    return replace(found, problems=problems, verdict=problems[0].weight if problems else "ok")


def _problems(found: Overview) -> Iterator[Problem]:
    for one in found.queues:
        if one.dead:
            title = f"{one.name} has {counted(one.dead, 'open dead letter')}"
            command = f"holdfast dead groups --queue {shlex.quote(one.name)}"
            yield Problem(Weight.BAD, title, "Find the cause, then replay or resolve them.", "dead", command)
        yield from late_queue(
            one.name,
            one.ready,
            age(one.oldest, found.now),
            is_paused=one.paused,
            is_served=one.is_served,
            more="ready" in one.more_than,
        )
    for endpoint in found.endpoints:
        yield from open_circuit(endpoint.name, Circuit(endpoint.circuit), "Calls to it wait.")
