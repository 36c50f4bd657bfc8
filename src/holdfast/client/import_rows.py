"""The pending rows of another queue's table become jobs, once each, however often the import is started."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from holdfast.client.bulk import chunks
from holdfast.client.enqueue import store
from holdfast.client.imported_job import JobMaker, check_columns
from holdfast.client.new_job import NewJob
from holdfast.db.connect import Database
from holdfast.db.legacy_table import LegacyRow, open_table
from holdfast.model.error import Conflict, HoldfastError, InvalidInput, InvalidPayload
from holdfast.model.import_mapping import ImportMapping
from holdfast.model.job import Enqueued

MOST_REFUSALS = 1000


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that did not become a job; `id` is the row's."""

    id: str | None
    reason: str


OnRefusal = Callable[[Refusal], None]
OnProgress = Callable[[int, int], None]


@dataclass(slots=True)
class ImportResult:
    """`existing`: rows whose job was there. `refusals`: the first thousand of the rows that were refused."""

    table: str
    pending: int
    enqueued: int = 0
    existing: int = 0
    refused: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    dry_run: bool = False

    @property
    def seen(self) -> int:
        return self.enqueued + self.existing + self.refused


async def import_rows(
    database: Database,
    table: str,
    mapping: ImportMapping,
    actor: str,
    *,
    source: Database | None = None,
    dry_run: bool = False,
    refused: OnRefusal | None = None,
    progress: OnProgress | None = None,
) -> ImportResult:
    """Reads the table in one snapshot of `source`, and stores jobs in `database`, a page at a time.

    Each page is committed, so that an import that stopped goes on where it was when it is started again: the
    unique key of a job is the row's id. With `dry_run` each page is stored and rolled back. Raises
    HoldfastError if the rows that were read are not those that were counted.
    """
    async with open_table(source or database, table) as found:
        check_columns(mapping, found)
        result = ImportResult(found.name, await found.count(mapping), dry_run=dry_run)
        # Two databases may have a table of the same name, with the same ids.
        scope = found.name if source is None else f"{found.database}.{found.name}"
        page = _Pages(database, JobMaker(mapping, scope, actor), result, refused)
        async for rows in found.rows(mapping):
            await page.add(rows)
            if progress is not None:
                progress(result.seen, result.pending)
    if result.seen != result.pending:
        raise HoldfastError(
            f"{result.pending:,} rows were pending, but {result.seen:,} were read.",
            "check that the condition 'pending' gives the same answer each time",
        )
    return result


class _RollBack(Exception):
    def __init__(self, stored: list[Enqueued]) -> None:
        super().__init__()
        self.stored = stored


class _Pages:
    def __init__(
        self, database: Database, maker: JobMaker, result: ImportResult, refused: OnRefusal | None
    ) -> None:
        self._database, self._maker, self._result, self._refused = database, maker, result, refused

    async def add(self, rows: Sequence[LegacyRow]) -> None:
        for chunk in chunks(job for row in rows if (job := self._job(row)) is not None):
            await self._add(chunk)

    def _job(self, row: LegacyRow) -> NewJob | None:
        try:
            return self._maker.job(row)
        except InvalidInput as exc:
            self._refuse(row.id, exc)
            return None

    async def _add(self, jobs: Sequence[NewJob]) -> None:
        """One bad job fails the whole statement: its halves are tried, then theirs, until it stands alone."""
        try:
            stored = await self._store(jobs)
        except (InvalidInput, Conflict) as exc:
            if len(jobs) == 1:
                self._refuse(jobs[0].options["unique_key"], exc)
                return
            half = len(jobs) // 2
            await self._add(jobs[:half])
            await self._add(jobs[half:])
            return
        created = sum(one.created for one in stored)
        self._result.enqueued += created
        self._result.existing += len(stored) - created

    async def _store(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        if not self._result.dry_run:
            return await store(self._database, jobs, notify=True)
        try:
            async with self._database.transaction() as connection:
                raise _RollBack(await store(connection, jobs, notify=False))
        except _RollBack as undone:
            return undone.stored

    def _refuse(self, row: str | None, exc: HoldfastError) -> None:
        at = f" (at {exc.path})" if isinstance(exc, InvalidPayload) and exc.path != "$" else ""
        refusal = Refusal(row, f"{exc.message}{at}")
        self._result.refused += 1
        if len(self._result.refusals) < MOST_REFUSALS:
            self._result.refusals.append(refusal)
        if self._refused is not None:
            self._refused(refusal)
