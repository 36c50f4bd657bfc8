"""What a child asks about its job's way through a pipeline, and for whom it waits; the worker answers."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from holdfast.model.id import RunId
from holdfast.model.payload import JsonText
from holdfast.model.route import OnFailure, WaitFor
from holdfast.worker.context import JobContext


async def answer_journey(context: JobContext, verb: str, given: dict[str, Any]) -> Any:
    match verb:
        case "context":
            return await context._load_context()
        case "history":
            told = [asdict(one) for one in await context._load_history()]
            return [{**one, "at": one["at"].isoformat()} for one in told]
        case "await_signal":
            answer = await context._await_signal(given["name"])
            return [answer.came, answer.data, answer.timed_out]
        case "spawn":
            run, is_over = await context._spawn(
                given["name"],
                given["task"],
                [JsonText(text) for text in given["payloads"]],
                given["options"],
                WaitFor(given["wait"]),
                OnFailure(given["on_failure"]),
            )
            return [str(run), is_over]
        case "children":
            children = await context._load_children(RunId(UUID(given["run"])))
            return [[str(one.id), one.state, one.output, one.reason] for one in children]
        case _:
            raise ValueError(f"no verb {verb}")
