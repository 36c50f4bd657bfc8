"""What became of the jobs: asked of the database, and compared with the model server's ledger."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.cli.demo.model_server import Ledger
from holdfast.db.connect import Database
from holdfast.db.jobs import list_jobs
from holdfast.model.id import JobId, RunId
from holdfast.model.job import Job
from holdfast.model.state import State

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Verdict:
    """`lost`: no end. `duplicated`: more than one end. `wrong`: ended with something else than its answer."""

    jobs: int
    completed: int
    lost: int
    duplicated: int
    wrong: int
    rescued: int
    failures: int
    deferrals: int

    @property
    def is_good(self) -> bool:
        return self.completed == self.jobs and not (self.lost or self.duplicated or self.wrong)


async def judge(database: Database, run: RunId, accepted: Iterable[JobId], ledger: Ledger) -> Verdict:
    rows = await _all_jobs(database, run)
    ends = Counter(job.id for job in rows if job.is_ended)
    ids = set(accepted)
    answers = _answers_by_job(ledger)
    right = [job for job in rows if job.state is State.COMPLETED and answers.get(str(job.id)) == [job.output]]
    return Verdict(
        jobs=len(ids),
        completed=len({job.id for job in right} & ids),
        lost=len(ids - ends.keys()),
        duplicated=sum(count - 1 for count in ends.values()) + len(ends.keys() - ids),
        wrong=len(rows) - len(right),
        rescued=sum(job.losses for job in rows),
        failures=sum(job.failures for job in rows),
        deferrals=sum(job.deferrals for job in rows),
    )


async def _all_jobs(database: Database, run: RunId) -> list[Job]:
    """Live and ended rows; a job that had two ends would be here twice."""
    found: list[Job] = []
    before: JobId | None = None
    while page := await list_jobs(database, {"run": str(run)}, before, PAGE):
        found += page
        before = page[-1].id
    return found


def _answers_by_job(ledger: Ledger) -> dict[str, list[str]]:
    """The server knows a job by its idempotency key: installation, job, generation, visit and step."""
    answers: dict[str, list[str]] = {}
    for key, text in ledger.answers.items():
        answers.setdefault(key.split(":")[1], []).append(text)
    return answers
