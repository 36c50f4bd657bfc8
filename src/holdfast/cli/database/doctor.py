"""`holdfast doctor`."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.global_options import Target, start_logging, target_of
from holdfast.cli.frame.output import tell, write
from holdfast.cli.frame.render import print_json, print_table
from holdfast.cli.frame.session import connected, with_database
from holdfast.client.doctor_checks import Diagnosis, examine
from holdfast.db.invariants import MOST, NEWEST, check_invariants
from holdfast.model.invariant import Violation


@dataclass(frozen=True, slots=True)
class Soundness:
    ok: bool
    violations: list[Violation]


def doctor(
    context: typer.Context,
    invariants: Annotated[
        bool,
        typer.Option(
            "--invariants", help="Check only whether rows in Holdfast's tables contradict each other."
        ),
    ] = False,
    newest: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST,
            help="With --invariants: check the newest jobs, runs and events, at most this many of each.",
        ),
    ] = NEWEST,
    as_json: Json = False,
) -> None:
    """Exit codes: 1 if a check finds something wrong (a note is not counted), otherwise 0."""
    if invariants:
        _report_violations(context, newest, as_json)
        return
    target = target_of(context)
    start_logging(target)
    diagnosis = asyncio.run(_examine(target))
    if as_json:
        print_json(diagnosis)
    else:
        _print(diagnosis)
    if not diagnosis.ok:
        raise typer.Exit(1)


async def _examine(target: Target) -> Diagnosis:
    async with connected(target) as database:
        return await examine(database)


def _print(diagnosis: Diagnosis) -> None:
    print_table(
        ("check", "result", "found"),
        ((one.check, one.level.value, one.message) for one in diagnosis.findings),
        keep=("check", "result"),
    )
    for one in diagnosis.findings:
        if one.fix:
            write("")
            tell(f"{one.check}: {one.message}")
            tell(f"  fix: {one.fix}")


def _report_violations(context: typer.Context, newest: int, as_json: bool) -> None:
    """Exits 1 if there is one."""
    found = with_database(context, lambda database: check_invariants(database, newest))
    if as_json:
        print_json(Soundness(not found, found))
    else:
        _print_violations(found, newest)
    if found:
        raise typer.Exit(1)


def _print_violations(found: list[Violation], newest: int) -> None:
    if not found:
        write(f"No invariant is violated among the newest {newest:,} jobs, runs and events.")
        return
    print_table(
        ("violation", "job", "detail"), ((one.name, one.job, one.detail) for one in found), keep=("job",)
    )
    write("\nThis is a defect of Holdfast, or its tables were changed: keep a dump, and report it.")
