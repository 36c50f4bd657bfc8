"""Which of many jobs the database refuses: its place, its error, and the JSON path of what is wrong."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from holdfast.api.request.problem import RequestRefused, problem_of
from holdfast.client.job_documents import OPTIONS
from holdfast.client.new_job import NewJob
from holdfast.db.connect import Connection, savepoint
from holdfast.model.access_key import Caller
from holdfast.model.error import (
    AccessDenied,
    HoldfastError,
    InvalidInput,
    InvalidOption,
    InvalidPayload,
    UniqueConflict,
)
from holdfast.model.job import Enqueued

Store = Callable[[Sequence[NewJob]], Awaitable[list[Enqueued]]]
_ITS_INDEX = " at index 0"  # of a job that was stored alone
_OPTION = re.compile(r"The (?:option )?(\w+) must ")


@dataclass(frozen=True, slots=True)
class RefusedJob:
    place: int  # among the jobs, from 0
    job: NewJob
    error: HoldfastError

    def problem(self, caller: Caller, at: str, named: str = "", **more: int) -> RequestRefused:
        """`at`: the path of the job in the body. `named`: what the message begins with."""
        message = self.error.message.replace(_ITS_INDEX, "")
        path = at + _path(self.error, caller, self.job)[1:]
        status, said = problem_of(self.error)
        return RequestRefused(
            status, said["code"], f"{named}{message}", said["hint"] or "", path=path, **more
        )


class ManyJobs(Protocol):
    """The jobs of a request. They can be read again: the search for a refused one stores them once more."""

    def chunks(self) -> AsyncIterator[list[NewJob]]: ...

    def refusal(self, place: int, caller: Caller, refused: RefusedJob) -> RequestRefused:
        """`place`: among all jobs, from 0."""
        ...


def is_fault_of_a_job(exc: HoldfastError) -> bool:
    """Not of the run, which may be sealed, or of the server."""
    is_of_its_kind = isinstance(exc, InvalidInput | UniqueConflict | AccessDenied)
    return is_of_its_kind or problem_of(exc)[0] == 422


async def first_refused(jobs: Sequence[NewJob], store: Store, conn: Connection) -> RefusedJob | None:
    """Stores the jobs before it. It halves the jobs, because one statement for each would take a thousand."""
    try:
        async with savepoint(conn):
            await store(jobs)
            return None
    except HoldfastError as exc:
        if not is_fault_of_a_job(exc):
            raise
        if len(jobs) == 1:
            return RefusedJob(0, jobs[0], exc)
    half = len(jobs) // 2
    found = await first_refused(jobs[:half], store, conn)
    if found is not None:
        return found
    found = await first_refused(jobs[half:], store, conn)
    return found and RefusedJob(half + found.place, found.job, found.error)


def _path(exc: HoldfastError, caller: Caller, job: NewJob) -> str:
    """In the document of the job."""
    match exc:
        case InvalidPayload():
            return f"$.payload{exc.path[1:]}"
        case UniqueConflict():
            return "$.unique_key"
        case AccessDenied():
            is_task = caller.tasks is not None and job.task not in caller.tasks
            return "$.task" if is_task else "$.queue"
        case InvalidOption():
            named = _OPTION.match(exc.message)
            option = named[1].replace("tracestate", "trace") if named else ""
            return f"$.{option}" if option in OPTIONS else "$"
        case _:
            return "$"
