"""The same unique key many times at once: one job and one id, even if the first answer was lost."""

import asyncio
from uuid import uuid4

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import Fetcher
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText

TWICE = """
select unique_key
from (select unique_key, id from holdfast.jobs union all select unique_key, id from holdfast.history) as j
where unique_key is not null
group by unique_key
having count(distinct id) > 1
"""


class UniqueKeys(Workload):
    name = "unique_keys"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def keyed(ref: str) -> str:
            return ref

    async def produce(self, producer: Producer) -> None:
        """Repeated until an answer arrives, then twice more at once."""
        key = {"unique_key": str(uuid4()), "unique_scope": "chaos", "unique_for": "forever"}
        for given in await producer.enqueue("keyed", [{}], may_repeat=True, options=key):
            found = await asyncio.gather(*(_again(producer, given.payload, key) for _ in range(2)))
            producer.ledger.wrong += [
                f"unique: the key {key['unique_key']} of {given.job} gave another id, {job}"
                for job in found
                if job not in (None, given.job)
            ]

    async def check(self, database: Fetcher) -> list[str]:
        return [f"two jobs of the key {row['unique_key']}" for row in await database.fetch(TWICE)]


async def _again(producer: Producer, text: JsonText, key: dict[str, str]) -> JobId | None:
    try:
        (stored,) = await enqueue_jobs(producer.database, ["keyed"], [text], {"queue": QUEUE, **key})
    except HoldfastError:
        return None
    return stored.id


WORKLOAD = UniqueKeys()
