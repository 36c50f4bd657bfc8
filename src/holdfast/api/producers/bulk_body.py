"""The body of a bulk enqueue: NDJSON, spooled to a file and checked before a transaction begins."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO

from starlette.requests import Request

from holdfast.api.limits.shares import Shares
from holdfast.api.producers.refused_job import RefusedJob
from holdfast.api.producers.scoped_job import scoped_job
from holdfast.api.request.problem import RequestRefused, problem_of
from holdfast.client.bulk import chunks
from holdfast.client.job_documents import read_document, read_job
from holdfast.client.new_job import NewJob
from holdfast.model.access_key import Caller
from holdfast.model.error import HoldfastError

NDJSON = "application/x-ndjson"
MOST_JOBS = 100_000
MOST_LINES = 2 * MOST_JOBS  # with the empty ones
MOST_LINE = 1024 * 1024  # bytes of one job, as of a job on its own
IN_MEMORY = 1024 * 1024  # bytes of a body; the rest of it is in a temporary file
MOST_RECEIVED = 16  # at once; each may have a file of the largest size
MOST_STORED = 4  # at once; each has a thread and a transaction
STORE_WAIT = timedelta(seconds=30)


class BulkBody:
    """All lines have been checked. Reading them again, a chunk at a time, takes little memory."""

    def __init__(self, spool: IO[bytes], caller: Caller, digest: bytes) -> None:
        self._spool, self._caller, self.digest = spool, caller, digest

    async def chunks(self) -> AsyncIterator[list[NewJob]]:
        ready = chunks(self.jobs())
        while (chunk := await asyncio.to_thread(next, ready, None)) is not None:
            yield chunk

    def refusal(self, place: int, caller: Caller, refused: RefusedJob) -> RequestRefused:
        number = next(islice(self._lines(), place, None))[0]
        return refused.problem(caller, "$", f"Line {number}: ", line=number)

    def check(self) -> None:
        if sum(1 for _ in self.jobs()) == 0:
            raise RequestRefused(422, "invalid_input", "The body contains no job.", "send one job per line")

    def jobs(self) -> Iterator[NewJob]:
        for number, line in self._lines():
            yield self._read(number, line)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Those that are not empty, each with its number."""
        self._spool.seek(0)
        count = 0
        for number, line in enumerate(iter(lambda: self._spool.readline(MOST_LINE + 1), b""), 1):
            count += bool(line.strip())
            _check_size(number, count, line)
            if line.strip():
                yield number, line

    def _read(self, number: int, line: bytes) -> NewJob:
        try:
            return scoped_job(self._caller, read_job(read_document(line)))
        except HoldfastError as exc:
            status, said = problem_of(exc)
            path = said.get("path", "$")
            detail = f"Line {number}: {exc.message}"
            raise RequestRefused(status, exc.code, detail, exc.hint or "", line=number, path=path) from None


class BulkBodies:
    """Some are received at once, more are refused before they are read. Fewer are stored at once: a body that
    arrives slowly takes no place from those that are complete.
    """

    def __init__(self) -> None:
        code, what = "too_many_bulks", "bulk enqueues under way"
        self._receiving = Shares(MOST_RECEIVED, timedelta(0), code, what)
        self._storing = Shares(MOST_STORED, STORE_WAIT, code, what)

    @asynccontextmanager
    async def received(self, request: Request, caller: Caller) -> AsyncIterator[BulkBody]:
        async with self._receiving.place(caller.key):
            with SpooledTemporaryFile(IN_MEMORY) as spool:
                digest = hashlib.sha256()
                async for part in request.stream():
                    spool.write(part)
                    digest.update(part)
                body = BulkBody(spool, caller, digest.digest())
                async with self._storing.place(caller.key):
                    await asyncio.to_thread(body.check)
                    yield body


def _check_size(number: int, count: int, line: bytes) -> None:
    if len(line) > MOST_LINE:
        raise RequestRefused(
            413,
            "body_too_large",
            f"Line {number} has more than {MOST_LINE:,} bytes.",
            "store large data elsewhere, and send a reference to it",
            line=number,
        )
    if count > MOST_JOBS or number > MOST_LINES:
        raise RequestRefused(
            422, "invalid_input", f"A body may have at most {MOST_JOBS:,} jobs.", "send several requests"
        )
