"""The rules of producers, sent over HTTP."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from tests.machine.http import OverHttp
from tests.machine.parts import KEPT, Options
from tests.machine.producing import CODES, Producing, Stored


class HttpProducing(OverHttp, Producing):
    def send_run(self, asked: Mapping[str, Any]) -> UUID:
        answered = self.send_as("producer", "POST", "/runs", json={"name": "run", **asked})
        assert answered.status_code == 201, answered.text
        return UUID(answered.json()["run"])

    def asked(self, wish: Options) -> Options:
        """Rules leave what the document names: always a queue, and a priority unless it is the default."""
        return replace(wish, own=frozenset({"queue"} if wish.priority == 50 else {"queue", "priority"}))

    def send(self, task: str, *wishes: Options) -> Stored | str:
        """One job alone, as a list or as lines. A run has routes of its own."""
        documents = [{"task": task, "payload": wish.payload, **self.wire(wish)} for wish in wishes]
        (run,) = {wish.run for wish in wishes}
        if len(wishes) > 1:
            path = f"/runs/{run}/jobs/bulk" if run else "/jobs/bulk"
            answered = self.send_as("producer", "POST", path, content="\n".join(map(json.dumps, documents)))
        elif run:
            answered = self.send_as("producer", "POST", f"/runs/{run}/jobs", json={"jobs": documents})
        else:
            answered = self.send_as("producer", "POST", "/jobs", json=documents[0])
        said = answered.json()
        if answered.status_code == 409:
            assert said["code"] in CODES.values()
            return str(said["code"])
        if "id" in said:
            assert answered.status_code == (201 if said["created"] else 200), said
            return [(UUID(said["id"]), said["created"])]
        assert answered.status_code == 201, said
        stored = self.as_stored([UUID(id_) for id_ in said["ids"]])
        assert said["created"] == sum(created for _, created in stored)
        return stored

    def as_stored(self, ids: list[UUID]) -> Stored:
        """A new one is created at its first place."""
        return [(id_, id_ not in self.model.jobs and id_ not in ids[:i]) for i, id_ in enumerate(ids)]

    def wire(self, wish: Options) -> dict[str, object]:
        told = super().wire(wish)
        told.pop("run", None)
        told["queue"] = told.pop("default_queue")
        priority = told.pop("default_priority")
        if "priority" in wish.own:
            told["priority"] = priority
        if wish.unique_key and wish.unique_for in KEPT:
            told["unique_for"] = KEPT[wish.unique_for].total_seconds()
        return told
