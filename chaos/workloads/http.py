"""Jobs that only HTTP sees: a producer and workers that call replicas of `holdfast serve`."""

import asyncio
import json
from uuid import UUID, uuid4

from chaos.http_api import HttpApi, Refused, Unanswered
from chaos.http_worker import QUEUE
from chaos.workload import PAUSE, TRIES, Producer, Workload
from holdfast import Holdfast
from holdfast.db.statement import Fetcher
from holdfast.model.id import JobId
from holdfast.model.payload import encode

TASK = "spoken"
# The output names the attempt that wrote it; the row names the attempt that owned the job.
WRITTEN_BY_ANOTHER = f"""
select id, attempt, output::text as output
from holdfast.history
where task = '{TASK}'
  and state = 'completed'
  and (output ->> 'token' is distinct from token::text or output ->> 'attempt' is distinct from attempt::text)
"""


class Http(Workload):
    name = "http"

    def register(self, app: Holdfast) -> None:
        """No handlers: these workers know no Python of ours."""

    async def produce(self, producer: Producer) -> None:
        if producer.replicas is not None:
            api = HttpApi(producer.replicas)
            await asyncio.gather(*(self._enqueue(producer, api) for _ in range(producer.rng.randint(1, 8))))

    async def _enqueue(self, producer: Producer, api: HttpApi) -> None:
        """The same request until it is answered: its idempotency key makes that harmless."""
        ref = str(uuid4())
        payload = {"number": producer.rng.randint(1, 1000), "ref": ref}
        body = {"task": TASK, "payload": payload, "queue": QUEUE, "max_failures": 30}
        producer.ledger.offer([ref])
        for _ in range(TRIES):
            try:
                stored = await asyncio.to_thread(api.post, "/jobs", body, {"Idempotency-Key": ref})
            except Unanswered:
                producer.ledger.disturbed += 1
                await asyncio.sleep(PAUSE)
            except Refused as exc:
                producer.ledger.refuse([ref])
                producer.ledger.wrong.append(f"the API refused {json.dumps(body)}: {exc}")
                return
            else:
                producer.ledger.accept(ref, JobId(UUID(stored["id"])), encode(payload))
                return

    async def check(self, database: Fetcher) -> list[str]:
        return [
            f"{row['id']} was completed in attempt {row['attempt']} with the output {row['output']}"
            for row in await database.fetch(WRITTEN_BY_ANOTHER)
        ]


WORKLOAD = Http()
