"""What became of the jobs: read from the database, and compared with the model server's own record."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
    killed: int

    @property
    def failed(self) -> list[str]:
        """The checks that failed: the verdict line and the exit code both come from here."""
        checks = [
            (f"{self.jobs - self.completed} not completed", self.completed == self.jobs),
            (f"{self.lost} lost", self.lost == 0),
            (f"{self.duplicated} duplicated", self.duplicated == 0),
            (f"{self.wrong} without the model server's answer", self.wrong == 0),
            ("no worker was killed", self.killed > 0),
        ]
        return [name for name, passed in checks if not passed]

    @property
    def exit_code(self) -> int:
        return 1 if self.failed else 0

    def line(self, seconds: float) -> str:
        killed = f"{self.killed} worker{'' if self.killed == 1 else 's'} killed"
        counts = f"{self.completed} of {self.jobs} completed, {self.lost} lost, {self.duplicated} duplicated"
        failed = f"; FAILED: {', '.join(self.failed)}" if self.failed else ""
        return f"demo: {counts}, {killed}, {seconds:.0f} s{failed}"


async def judge(
    database: Database, run: RunId, accepted: Iterable[JobId], answers: Mapping[str, str], killed: int
) -> Verdict:
    """`answers`: what the model server delivered, by idempotency key."""
    rows = await _all_jobs(database, run)
    ends = Counter(job.id for job in rows if job.is_ended)
    ids = set(accepted)
    by_job = _answers_by_job(answers)
    right = [job for job in rows if job.state is State.COMPLETED and by_job.get(str(job.id)) == [job.output]]
    return Verdict(
        jobs=len(ids),
        completed=len({job.id for job in right} & ids),
        lost=len(ids - ends.keys()),
        duplicated=sum(count - 1 for count in ends.values()) + len(ends.keys() - ids),
        wrong=len(rows) - len(right),
        rescued=sum(job.losses for job in rows),
        killed=killed,
    )


async def _all_jobs(database: Database, run: RunId) -> list[Job]:
    """Live and ended rows; a job that had two ends would be here twice."""
    found: list[Job] = []
    before: JobId | None = None
    while page := await list_jobs(database, {"run": str(run)}, before, PAGE):
        found += page
        before = page[-1].id
    return found


def _answers_by_job(answers: Mapping[str, str]) -> dict[str, list[str]]:
    """The server knows a job by its idempotency key: installation, job, generation, visit and step."""
    by_job: dict[str, list[str]] = {}
    for key, text in answers.items():
        by_job.setdefault(key.split(":")[1], []).append(text)
    return by_job
