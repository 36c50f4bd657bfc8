"""Writes docs/requirements.md: `python -m tests.requirements.page` after a change of a file beside it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from tests.repo.tree import ROOT
from tests.requirements.registry import PLANS, Requirement, Status, System, read_systems

PAGE = ROOT / "docs" / "requirements.md"

INTRO = """\
# Requirements

Holdfast must carry five whole systems. This page lists what each of them needs, what Holdfast does about it
today, where, and which test would fail if it stopped doing so. `python -m tests.requirements.page` writes it
from the files in `tests/requirements/`; a test checks that every place and every test exists.

- **works**: done and tested.
- **partly**: some of it is done; the line says what is missing.
- **planned**: not done; the line names the planned part that will bring it.
- **missing**: not done, and no plan brings it.
- **differs**: Holdfast does it in another way on purpose; the line says which and why.

Tests are named by their path below `tests/`; `chaos:NAME` is a fault of `./dev chaos`. Names that begin with
`holdfast.` are SQL, `holdfast` and a space is the command.
"""


def page() -> str:
    systems = read_systems()
    parts = [
        INTRO,
        "## Summary\n",
        *_summary(systems),
        "\n## What is planned\n",
        *(f"- **{name}**: {what}" for name, what in PLANS.items()),
    ]
    for system in systems:
        parts += [f"\n## {system.number} {system.title}\n", f"{system.about}\n", *_table(system.requirements)]
    return "\n".join(parts) + "\n"


def _summary(systems: Iterable[System]) -> Iterator[str]:
    yield f"| system | requirements | {' | '.join(Status)} |"
    yield f"|---|{'---:|' * (len(Status) + 1)}"
    everything = Counter[Status]()
    for system in systems:
        counts = Counter(one.status for one in system.requirements)
        everything += counts
        yield _counts(f"{system.number} {system.title}", counts)
    yield _counts("**all**", everything)


def _counts(title: str, counts: Counter[Status]) -> str:
    return f"| {title} | {counts.total()} | {' | '.join(str(counts[status]) for status in Status)} |"


def _table(requirements: Iterable[Requirement]) -> Iterator[str]:
    yield "| id | requirement | status | place | test |"
    yield "|---|---|---|---|---|"
    section = ""
    for one in requirements:
        if one.section != section:
            section = one.section
            yield f"| | **{section}** | | | |"
        yield f"| {one.id} | {one.requirement} | {_status(one)} | {_names(one.place)} | {_names(one.test)} |"


def _status(one: Requirement) -> str:
    plan = f"planned: {one.planned}" if one.planned and one.status is not Status.PLANNED else one.planned
    said = "; ".join(part for part in (one.note, plan) if part)
    return f"**{one.status}**" + (f": {said}" if said else "")


def _names(names: Iterable[str]) -> str:
    return "<br>".join(f"`{name}`" for name in names)


def main() -> None:
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
