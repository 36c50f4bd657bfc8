"""What is wrong as the overview says it: the worst first, each with the page that shows its cause."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from holdfast.client.doctor_checks import Finding, Level
from holdfast.client.report.late_queue import UNSERVED, held_up_by
from holdfast.dashboard.depth_lines import Line, late_since
from holdfast.model.dead_letter import LetterCause
from holdfast.model.human_readable import counted
from holdfast.model.overview import LATE, Overview, OverviewQueue
from holdfast.model.report import Problem

ALL_IS_WELL = "All is well"
SHOWN = 4  # rows at any time, so that nothing below them moves
# Where the problem of a section is shown.
CAUSES = {"dead": "/dead?queue={}", "queues": "/queues/{}", "endpoints": "/endpoints/{}"}


@dataclass(frozen=True, slots=True)
class Trouble:
    """`look` is bad, attention, or ok for what is well."""

    section: str
    look: str
    title: str
    words: str
    path: str
    since: datetime | None = None


NONE_DEAD = Trouble(
    "dead", "ok", "No open dead letters", "Jobs that died were replayed or resolved.", "/dead"
)
NONE_LATE = Trouble(
    "queues",
    "ok",
    "No queue is late",
    "No ready job has waited for 5 min, or for a minute without a live worker.",
    "/queues",
)
CLOSED = Trouble("endpoints", "ok", "No endpoint stops calls", "Calls to endpoints may start.", "/endpoints")


def troubles(
    found: Overview,
    lines: Mapping[str, Line],
    causes: Mapping[str, LetterCause],
    findings: Sequence[Finding],
) -> list[Trouble]:
    """`causes`: of the open dead letters of some queues."""
    listed = [_trouble(one, found, lines, causes) for one in found.problems]
    serious = [_of_doctor(one) for one in findings if is_serious(one)]
    return sorted([*listed, *serious], key=lambda one: one.look != "bad")


def is_serious(finding: Finding) -> bool:
    """What is wrong now, and what loses jobs at the next crash."""
    return finding.level is Level.WRONG or (finding.level is Level.NOTE and finding.check == "durability")


def _trouble(
    problem: Problem,
    found: Overview,
    lines: Mapping[str, Line],
    causes: Mapping[str, LetterCause],
) -> Trouble:
    queue = next((one for one in found.queues if one.name == problem.subject), None)
    path = CAUSES.get(problem.section, "/doctor").format(quote(problem.subject, safe=""))
    made = Trouble(problem.section, problem.weight, problem.title, problem.words, path, problem.since)
    if problem.section == "dead" and problem.subject in causes and queue:
        return _of_letters(made, queue, causes[problem.subject])
    if problem.section == "queues" and queue and not queue.paused:
        return _of_queue(made, queue, found, lines.get(queue.name, ()))
    return made


def _of_queue(made: Trouble, queue: OverviewQueue, found: Overview, line: Line) -> Trouble:
    """Its link leads to the endpoint that holds it up. Since when it is late is known from its oldest job at
    least: samples may be few.
    """
    cause = held_up_by(queue, found.now, {one.name: one for one in found.endpoints})
    path = CAUSES["endpoints"].format(quote(cause.name, safe="")) if cause else made.path
    limit = LATE if queue.is_served else UNSERVED
    known = (queue.oldest and queue.oldest + limit, late_since(line, limit))
    return replace(made, path=path, since=min(filter(None, known), default=None))


def _of_letters(made: Trouble, queue: OverviewQueue, cause: LetterCause) -> Trouble:
    words = ": ".join(filter(None, (cause.error_type, (cause.message or "")[:200]))) or cause.reason
    if cause.letters >= queue.dead > 1:
        title = f"{counted(queue.dead, 'dead letter')} of one cause in {queue.name}"
        return replace(made, title=title, words=f"{words}.", since=cause.first_at)
    share = "" if cause.letters >= queue.dead else f", {cause.letters:,} of them"
    return replace(made, words=f"{words}{share}.", since=cause.first_at)


def _of_doctor(finding: Finding) -> Trouble:
    title, path = finding.message.removesuffix("."), f"/doctor#{finding.check}"
    return Trouble("doctor", "bad", title, _sentence(finding.fix or ""), path)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}." if text else ""


def all_is_well(listed: Iterable[Trouble], sees_all: bool, findings: Sequence[Finding]) -> list[Trouble]:
    """What is well, for each section without a trouble; of the checks also what needs a look."""
    known = {one.section for one in listed}
    every = (NONE_DEAD, NONE_LATE, CLOSED, _checks(findings)) if sees_all else (NONE_DEAD, NONE_LATE)
    return [one for one in every if one.section not in known]


def _checks(findings: Sequence[Finding]) -> Trouble:
    passed = sum(one.level is Level.OK for one in findings)
    if look := needs_a_look(findings):
        words = "None of them is a fault now: the doctor says what each of them needs."
        return Trouble("doctor", "attention", f"{counted(passed, 'check')} pass, {look}", words, "/doctor")
    return Trouble(
        "doctor", "ok", "The installation is sound", f"All {counted(passed, 'check')} pass.", "/doctor"
    )


def needs_a_look(findings: Sequence[Finding], noun: str = "") -> str:
    """1 needs a look, 2 checks need a look; nothing if there is none. `noun`: what is counted."""
    notes = sum(one.level is Level.NOTE and not is_serious(one) for one in findings)
    words = counted(notes, noun) if noun else f"{notes:,}"
    return f"{words} {'needs' if notes == 1 else 'need'} a look" if notes else ""


def verdict(found: Overview, listed: Sequence[Trouble], sees_all: bool, findings: Sequence[Finding]) -> str:
    ready = sum(one.ready for one in found.queues if not one.paused)
    if sees_all and ready and not found.capacity.workers:
        return f"Standing still: no worker is running, {counted(ready, 'job')} ready"
    if not listed:
        return ", ".join(filter(None, (ALL_IS_WELL, needs_a_look(findings, "check"))))
    return f"Working, with {counted(len(listed), 'problem')}"
