"""What must hold when all is healed: the ledger agrees with the database, and no invariant is violated."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from holdfast.cli.chaos.ledger import Ledger
from holdfast.cli.chaos.parts import all_parts
from holdfast.db.connect import Database
from holdfast.db.invariants import check_invariants

EVERY = 10_000_000
JOBS = """
select
  payload ->> 'ref' as ref, id, state, md5(payload::text) as payload_hash, ended_at is not null as is_ended
from holdfast.job_view
where payload ->> 'ref' is not null
  and parent is null -- a stage that a job fans out to has its payload
"""
COUNTS = """
select
  count(*) as ended,
  coalesce(sum(losses), 0) as losses,
  coalesce(sum(failures), 0) as failures,
  coalesce(sum(deferrals), 0) as deferrals,
  count(*) filter (where state = 'dead') as dead,
  (select coalesce(sum(released), 0) from holdfast.workers) as released,
  (select count(*) from holdfast.jobs) as live
from holdfast.history
"""
FENCED = re.compile(r"(?:job\.ends_lost .*count|lease\.jobs_taken .*running)=(\d+)")


@dataclass(slots=True)
class Report:
    """`lost`, `duplicated` and `wrong` must be empty: each says in words what it found."""

    accepted: int
    refused: int
    indeterminate: int
    disturbed: int
    counts: dict[str, int]
    fenced: int = 0
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.duplicated or self.wrong)


async def check(database: Database, ledger: Ledger, settled: timedelta, logs: Path | None = None) -> Report:
    counts = dict((await database.fetch(COUNTS))[0])
    report = Report(
        len(ledger.accepted), len(ledger.refused), len(ledger.indeterminate), ledger.disturbed, counts
    )
    await _compare(database, ledger, report)
    for one in await check_invariants(database, EVERY, settled):
        report.wrong.append(f"{one.name}: {one.job or ''} {one.detail}")
    for part in all_parts():
        report.wrong += [f"{part.name}: {what}" for what in await part.check(database)]
    if counts["live"]:
        report.wrong.append(f"{counts['live']} jobs are still live")
    report.fenced = 0 if logs is None else _fenced(logs)
    return report


async def _compare(database: Database, ledger: Ledger, report: Report) -> None:
    seen: Counter[str] = Counter()
    for row in await database.fetch(JOBS):
        ref = row["ref"]
        seen[ref] += 1
        accepted = ledger.accepted.get(ref)
        if accepted is None and ref not in ledger.indeterminate:
            kind = "refused" if ref in ledger.refused else "not offered"
            report.wrong.append(f"a job that was {kind}: {row['id']}")
        elif accepted is not None and (accepted.job, accepted.payload_hash) != (
            row["id"],
            row["payload_hash"],
        ):
            report.wrong.append(f"another id or payload than was accepted: {row['id']}")
        if accepted is not None and not row["is_ended"]:
            report.lost.append(f"accepted and not ended, {row['state']}: {row['id']}")
    report.lost += [
        f"accepted and gone: {one.job}" for ref, one in ledger.accepted.items() if ref not in seen
    ]
    report.duplicated += [f"{count} jobs with ref {ref}" for ref, count in seen.items() if count > 1]


def _fenced(logs: Path) -> int:
    """How many ends and running jobs workers were told are no longer their own."""
    texts = [log.read_text(errors="replace") for log in logs.iterdir()]
    return sum(int(found) for text in texts for found in FENCED.findall(text))
