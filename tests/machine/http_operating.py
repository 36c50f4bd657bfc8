"""The rules of operators, sent over HTTP; maintenance has no routes."""

from collections.abc import Mapping
from typing import Any

from tests.machine.http import OverHttp
from tests.machine.operating import REASON, Operating
from tests.machine.parts import Ends, Job, Run

WHY = {"reason": REASON}


class HttpOperating(OverHttp, Operating):
    def operate(self, path: str, **body: Any) -> Any:
        answered = self.send_as("operator", "POST", path, json=body)
        assert answered.status_code == 200, answered.text
        return answered.json()

    def send_move(self, source: str, to: str, n: int) -> tuple[int, int]:
        said = self.operate(f"/queues/{source}/move", to=to, limit=n, **WHY)
        return said["ready"], said["scheduled"]

    def send_to_schedule(self, word: str) -> None:
        said = self.operate(f"/schedules/hourly/{word}", **WHY)
        assert said["name"] == "hourly"

    def send_rule(self, policy: Mapping[str, Any]) -> None:
        """Adds it the first time, and changes it then."""
        rule = {"kind": "task", "owner": "bill", "name": "urgent", "settings": policy}
        sent = self.send_as("operator", "POST", "/rules", json=rule)
        if sent.status_code == 409:
            sent = self.send_as("operator", "PATCH", "/rules/task/bill/urgent", json={"settings": policy})
        assert sent.is_success, sent.text

    def send_to_job(self, word: str, job: Job) -> str:
        """For several jobs there is a result each, also for those that were not changed."""
        (said,) = self.operate(f"/jobs/{word}", jobs=[str(job.id)], **WHY)["jobs"]
        assert said["id"] == str(job.id)
        return str(said["result"])

    def send_to_queue(self, word: str, queue: str) -> None:
        said = self.operate(f"/queues/{queue}/{word}", **WHY)
        assert said == {"queue": queue, "paused": word == "pause"}

    def send_seal(self, run: Run) -> bool:
        return bool(self.operate(f"/runs/{run.id}/seal")["ended"])

    def send_cancel_of(self, run: Run) -> int:
        return int(self.operate(f"/runs/{run.id}/cancel", **WHY)["cancelled"])

    def send_replay_of(self, run: Run, which: Ends) -> int:
        """It takes what ended before the request: so let the clock go on."""
        self.tick()
        return int(self.operate(f"/runs/{run.id}/replay", which=which, **WHY)["replayed"])
