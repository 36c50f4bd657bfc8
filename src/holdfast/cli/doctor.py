"""`holdfast doctor`."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

import typer

from holdfast.cli.checks import CHECKS, Check, Finding, Level
from holdfast.cli.invariants import report_violations
from holdfast.cli.options import Json
from holdfast.cli.output import tell, write
from holdfast.cli.render import print_json, print_table
from holdfast.cli.session import connected
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.db.connect import Database
from holdfast.db.invariants import MOST, NEWEST
from holdfast.model.error import DatabaseUnavailable, HoldfastError, PermissionDenied, SchemaMismatch


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(doctor)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    ok: bool
    findings: list[Finding]


def doctor(
    context: typer.Context,
    invariants: Annotated[
        bool, typer.Option("--invariants", help="Instead, look for rows that contradict each other.")
    ] = False,
    newest: Annotated[
        int, typer.Option(min=1, max=MOST, help="With --invariants: how many of everything.")
    ] = NEWEST,
    as_json: Json = False,
) -> None:
    """Exits 1 if something is wrong at this moment, 0 otherwise; notes are for your information."""
    if invariants:
        report_violations(context, newest, as_json)
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
        findings = [await _look(database, name, check) for name, check in CHECKS.items()]
    return Diagnosis(all(one.level is not Level.WRONG for one in findings), findings)


async def _look(database: Database, name: str, check: Check) -> Finding:
    """A check that cannot be made is a finding too."""
    try:
        level, message, fix = await check(database)
    except PermissionDenied as exc:
        return Finding(name, Level.NOTE, f"This user may not look: {exc.message}", exc.hint)
    except SchemaMismatch as exc:
        return Finding(name, Level.WRONG, exc.message, exc.hint)
    except DatabaseUnavailable:
        raise
    except HoldfastError as exc:
        return Finding(name, Level.WRONG, exc.message, exc.hint)
    return Finding(name, level, message, fix)


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
