"""The requirements of the five systems that Holdfast must carry, one TOML file for each system.

A file has a title, one sentence about the system, and sections of requirements, each named by its id:

    [recovery.000-98]
    requirement = "A job that was lost too often becomes a dead letter"
    status = "works"
    place = ["holdfast.rescue_jobs"]
    test = ["sql/rescue_jobs"]

`place` and `test` name where it is done and what would fail without it (`places.py` lists the forms). `note`
says what is missing or why Holdfast does it differently, `planned` which part of PLANS will bring it.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

PLANS = {
    "processors": "handlers that run elsewhere (HTTP, LangGraph, Inngest, GitHub), batches",
    "alerts": "rules over the statistics, delivered to a webhook",
    "secrets": "encrypted payloads and tokens that live as long as an attempt",
    "operations": "guides to running, backing up and migrating to Holdfast",
}


class Status(StrEnum):
    WORKS = "works"
    PARTLY = "partly"
    MISSING = "missing"
    PLANNED = "planned"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    section: str
    requirement: str
    status: Status
    place: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    note: str = ""
    planned: str = ""


@dataclass(frozen=True, slots=True)
class System:
    number: str
    title: str
    about: str
    requirements: tuple[Requirement, ...]


def read_systems() -> tuple[System, ...]:
    return tuple(_read_system(file) for file in sorted(FOLDER.glob("[0-9]*.toml")))


def _read_system(file: Path) -> System:
    content = tomllib.loads(file.read_text())
    title, about = content.pop("title"), content.pop("about")
    return System(file.name[:3], title, about, tuple(_read_sections(content)))


def _read_sections(sections: dict[str, Any]) -> Iterator[Requirement]:
    for section, requirements in sections.items():
        for id_, fields in requirements.items():
            yield Requirement(
                id_,
                section.replace("-", " ").capitalize(),
                requirement=fields.pop("requirement"),
                status=Status(fields.pop("status")),
                place=tuple(fields.pop("place", ())),
                test=tuple(fields.pop("test", ())),
                **fields,
            )
