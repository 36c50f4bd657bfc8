"""A worker that speaks only HTTP, with the standard library: claim, do, complete or fail, again and again."""

import random
import time
from typing import Any

from chaos.http_api import HttpApi, Refused, Replicas, Unanswered

QUEUE = "chaos-http"
LEASE = 2.0  # seconds, as of the other workers
AT_ONCE = 5
WAIT = 1.0
PAUSE = 0.2
TRIES = 10


def main() -> None:
    api = HttpApi(Replicas.named())
    while True:
        try:
            _work(api)
        except (Unanswered, Refused):  # a new worker: the old one's lease ends
            time.sleep(PAUSE)


def _work(api: HttpApi) -> None:
    worker = api.post("/workers", {"queues": [QUEUE], "slots": AT_ONCE, "lease": LEASE})["worker"]
    try:
        while True:
            api.post(f"/workers/{worker}/renew", {"jobs": []})
            claimed = api.post(f"/workers/{worker}/claim", {"limit": AT_ONCE, "wait": WAIT}, wait=WAIT)
            for job in claimed["jobs"]:
                _do(api, job)
    except (Unanswered, Refused):
        api.post(f"/workers/{worker}/stop", {})  # it may hold jobs whose claim was not answered
        raise


def _do(api: HttpApi, job: dict[str, Any]) -> None:
    time.sleep(random.random() * 0.05)
    held = {"token": job["token"]}
    if random.random() < 0.05:
        _end(api, f"/jobs/{job['id']}/fail", {**held, "error": "an error now and then", "retry_after": 0.2})
    else:
        output = {"attempt": job["attempt"], "token": job["token"]}
        _end(api, f"/jobs/{job['id']}/complete", {**held, "output": output})


def _end(api: HttpApi, path: str, body: dict[str, Any]) -> None:
    """Repeated until it is answered: the first call may have been done. 409: another worker has the job."""
    for _ in range(TRIES):
        try:
            api.post(path, body)
        except Unanswered:
            time.sleep(PAUSE)
        except Refused as exc:
            if exc.status != 409:
                raise
            return
        else:
            return


if __name__ == "__main__":
    main()
