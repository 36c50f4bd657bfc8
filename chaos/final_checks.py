"""The checks after all faults are healed: the ledger agrees with the database, and every invariant holds."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from chaos.enqueue_ledger import Ledger
from chaos.miscounted_ends import miscounted_ends
from chaos.workloads import all_workloads
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
  count(*) filter (where state = 'dead' and task <> all ($1::text[])) as dead,
  (select coalesce(sum(released), 0) from holdfast.workers) as released,
  (select count(*) from holdfast.jobs) as live
from holdfast.history
"""
# A job that lost its worker too often is dead as promised; any other dead job is the error of a workload.
DEAD = """
select
  h.id, h.task, h.failures, h.losses,
  (
    select a.message from holdfast.attempts as a where a.job_id = h.id order by a.ended_at desc limit 1
  ) as message
from holdfast.history as h
left join holdfast.queues as q on q.name = h.queue
where h.state = 'dead'
  and h.task <> all ($1::text[])
  and h.losses < coalesce(q.max_losses, 3)
"""
FENCED = re.compile(r"job lost: ")
STOPPED = re.compile(r"lease jobs taken: .*running=(\d+)")


@dataclass(slots=True)
class Report:
    """`lost`, `duplicated` and `wrong` must be empty; they hold sentences.

    `fenced`: ends of jobs that the database refused because another attempt owned the job. `stopped`:
    handlers that were cancelled because their worker had lost the job.
    """

    accepted: int
    refused: int
    indeterminate: int
    disturbed: int
    counts: dict[str, int]
    fenced: int = 0
    stopped: int = 0
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.duplicated or self.wrong)


async def check(database: Database, ledger: Ledger, settled: timedelta, logs: Path | None = None) -> Report:
    may_die = [task for workload in all_workloads() for task in workload.may_die]
    counts = dict((await database.fetch(COUNTS, may_die))[0])
    report = Report(
        len(ledger.accepted), len(ledger.refused), len(ledger.indeterminate), ledger.disturbed, counts
    )
    await _compare(database, ledger, report)
    for one in await check_invariants(database, EVERY, settled):
        report.wrong.append(f"{one.name}: {one.job or ''} {one.detail}")
    report.wrong += [f"statistics: {what}" for what in await miscounted_ends(database)]
    report.wrong += ledger.wrong
    for workload in all_workloads():
        report.wrong += [f"{workload.name}: {what}" for what in await workload.check(database)]
    for row in await database.fetch(DEAD, may_die):
        report.wrong.append(
            f"dead after {row['failures']} failures and {row['losses']} losses,"
            f" {row['task']}: {row['id']}: {row['message']}"
        )
    if counts["live"]:
        report.wrong.append(f"{counts['live']} jobs are still live")
    if logs is not None:
        report.fenced, report.stopped = len(found(FENCED, logs)), sum(map(int, found(STOPPED, logs)))
    return report


async def _compare(database: Database, ledger: Ledger, report: Report) -> None:
    seen: Counter[str] = Counter()
    for row in await database.fetch(JOBS):
        ref = row["ref"]
        seen[ref] += 1
        accepted = ledger.accepted.get(ref)
        if accepted is None and ref not in ledger.indeterminate:
            kind = _kind(ledger, ref)
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


def _kind(ledger: Ledger, ref: str) -> str:
    if ref in ledger.withdrawn:
        return "rolled back before its commit"
    return "refused" if ref in ledger.refused else "not offered"


def found(event: re.Pattern[str], logs: Path) -> list[str]:
    """In all log files of the workers."""
    return [one for log in logs.iterdir() for one in event.findall(log.read_text(errors="replace"))]
