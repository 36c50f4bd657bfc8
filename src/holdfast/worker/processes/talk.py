"""What the worker and a child say to each other during one attempt.

The child asks; the worker, which alone has the job's token, writes to the database and answers.
"""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from holdfast.model.error import HoldfastError
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End, Verb
from holdfast.model.payload import JsonText
from holdfast.worker.context import JobContext
from holdfast.worker.processes.child import Child
from holdfast.worker.processes.death import ProcessDied
from holdfast.worker.processes.frame import Message
from holdfast.worker.processes.journey import answer_journey
from holdfast.worker.running import Running

Spoken = tuple[End, bool]


async def talk(child: Child, running: Running, context: JobContext) -> Spoken:
    """The attempt's end, and whether the child can be used no longer."""
    left = context.time_left()
    seconds = None if left is None else left.total_seconds()
    await child.tell({"job": _written(running.job), "key": context.idempotency_key(), "left": seconds})
    running.pass_on = lambda: child.say({"cancel": True})
    running.pass_yield = lambda: child.say({"yield": True})
    if context.should_yield.is_set():
        running.pass_yield()
    if running.stop is not None:
        running.pass_on()
    while True:
        message = await child.hear()
        try:
            if "end" in message:
                return _end(message)
            if "units" in message:
                context.units(message["units"])
            elif "endpoint_ok" in message:
                context.endpoint_ok = message["endpoint_ok"]
            else:
                await child.tell({"answer": message["ask"], **await _answer(context, message)})
        except (KeyError, TypeError, ValueError) as exc:
            raise ProcessDied(f"The handler's process wrote nonsense to the worker: {exc!r}.") from exc


async def _answer(context: JobContext, message: Message) -> Message:
    try:
        return {"value": await _do(context, message["verb"], message["with"])}
    except HoldfastError as exc:
        return {"error": type(exc).__name__, "message": exc.message, "hint": exc.hint}
    except Exception as exc:
        return {"error": "HoldfastError", "message": f"{type(exc).__name__}: {exc}", "hint": None}


async def _do(context: JobContext, verb: str, given: dict[str, Any]) -> Any:
    match verb:
        case "checkpoint":
            return await context.checkpoint(given["name"], given["data"])
        case "checkpoints":
            return await context.checkpoints()
        case "progress":
            return await context.progress(**given)
        case "enqueue":
            return str(await context.enqueue(given["task"], given["payload"], **given["options"]))
        case "context" | "history" | "await_signal" | "spawn" | "children":
            return await answer_journey(context, verb, given)
        case _:
            raise ValueError(f"no verb {verb}")


def _end(message: Message) -> Spoken:
    verb, output, detail = message["end"]
    text = None if output is None else JsonText(str(output))
    return End(Verb(verb), text, detail), bool(message["last"])


def _written(job: ClaimedJob) -> Message:
    """Without the token: a child writes nothing by itself."""
    fields = asdict(job)
    del fields["token"]
    for name in ("id", "run"):
        fields[name] = str(fields[name]) if isinstance(fields[name], UUID) else None
    fields["started_at"] = job.started_at.isoformat()
    fields["ready_at"] = job.ready_at.isoformat()
    fields["stop_after"] = None if job.stop_after is None else job.stop_after.total_seconds()
    return fields
