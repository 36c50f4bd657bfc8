"""The worker's side of the messages between it and a child during one attempt.

The child sends requests of its context; the worker, which alone has the job's token, does them through its
own port and answers.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID

from holdfast.model.error import HoldfastError
from holdfast.model.id import RunId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End, Verb
from holdfast.model.payload import JsonText
from holdfast.model.progress_report import read_report
from holdfast.model.recorded_call import CallKind, NewCall
from holdfast.model.stage_routing import OnFailure, WaitFor
from holdfast.telemetry.attempt_log import Line
from holdfast.telemetry.tracer import Carrier, carrier_here
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.call.process.child_process import ChildProcess
from holdfast.worker.call.process.message_frame import Message
from holdfast.worker.call.process.process_death import ProcessDied
from holdfast.worker.context.context_port import ContextPort


async def answer_requests(child: ChildProcess, attempt: Attempt, port: ContextPort) -> tuple[End, bool]:
    """The attempt's end, and whether the child can no longer be used."""
    trace = carrier_here()
    child.closes = child.closes or trace is not None  # so that it can export its spans
    await child.tell(_order(attempt, port, trace))
    attempt.forward_cancel = lambda: child.say({"cancel": True})
    attempt.forward_yield = lambda: child.say({"yield": True})
    if attempt.yields:
        attempt.forward_yield()
    if attempt.stop is not None:
        attempt.forward_cancel()
    while True:
        message = await child.hear()
        try:
            if "end" in message:
                return _end(message)
            if "units" in message:
                attempt.add_units(message["units"])
            elif "log" in message:
                _keep(message, attempt, port)
            elif "endpoint_ok" in message:
                attempt.endpoint_ok = message["endpoint_ok"]
            else:
                await child.tell({"answer": message["ask"], **await _answer(attempt, port, message)})
        except (KeyError, TypeError, ValueError) as exc:
            raise ProcessDied(
                f"The handler's process sent an invalid message to the worker: {exc!r}."
            ) from exc


def _order(attempt: Attempt, port: ContextPort, trace: Carrier | None) -> Message:
    """The job without its token: a child does not write to the database."""
    job, ends_at = attempt.job, port.ends_at(attempt)
    fields = asdict(job)
    del fields["token"]
    for name in ("id", "run"):
        fields[name] = str(fields[name]) if isinstance(fields[name], UUID) else None
    fields["started_at"] = job.started_at.isoformat()
    fields["ready_at"] = job.ready_at.isoformat()
    fields["stop_after"] = None if job.stop_after is None else job.stop_after.total_seconds()
    left = None if ends_at is None else max(0.0, ends_at - monotonic())
    return {
        "job": fields,
        "installation": port.installation,
        "left": left,
        "has_log": port.log_of(attempt) is not None,
        "trace": trace,
    }


def _keep(message: Message, attempt: Attempt, port: ContextPort) -> None:
    log = port.log_of(attempt)
    if log is not None:
        for at, level, logger, text in message["log"]:
            log.add(Line(at, level, logger, text))
        if message["is_cut"]:
            log.cut()


def _end(message: Message) -> tuple[End, bool]:
    verb, output, detail = message["end"]
    text = None if output is None else JsonText(str(output))
    return End(Verb(verb), text, detail), bool(message["last"])


async def _answer(attempt: Attempt, port: ContextPort, message: Message) -> Message:
    try:
        return {"value": await _do(attempt, port, message["verb"], message["with"])}
    except HoldfastError as exc:
        return {"error": type(exc).__name__, "message": exc.message, "hint": exc.hint}
    except Exception as exc:
        return {"error": "HoldfastError", "message": f"{type(exc).__name__}: {exc}", "hint": None}


async def _do(attempt: Attempt, port: ContextPort, verb: str, given: Mapping[str, Any]) -> Any:
    """One method of the port, with arguments and result as JSON."""
    value: Any
    job = attempt.job
    match verb:
        case "save_checkpoint":
            value = await port.save_checkpoint(job, given["name"], JsonText(given["data"]))
        case "load_checkpoints":
            value = await port.load_checkpoints(job)
        case "save_call":
            call = NewCall(**{**given["call"], "kind": CallKind(given["call"]["kind"])})
            value = await port.save_call(job, call, given["checkpoint"], given["data"])
        case "add_labels":
            value = await port.add_labels(job, given["labels"])
        case "report_progress":
            value = await port.report_progress(attempt, read_report(**given))
        case "enqueue_child":
            value = str(await port.enqueue_child(job, **given))
        case "take_cached_value" | "save_cached_value" | "free_cached_value":
            value = await _do_with_cache(job, port, verb, **given)
        case _:
            value = await _do_in_pipeline(job, port, verb, given)
    return value


async def _do_with_cache(
    job: ClaimedJob, port: ContextPort, verb: str, *, scope: str, key: str, **given: Any
) -> Any:
    if verb == "take_cached_value":
        taken = await port.take_cached_value(job, scope, key, timedelta(seconds=given["wait"]))
        return [taken.result, taken.value, None if taken.writer is None else str(taken.writer)]
    writer = UUID(given["writer"])
    if verb == "free_cached_value":
        return await port.free_cached_value(job, scope, key, writer)
    lasts = timedelta(seconds=given["lasts"])
    return await port.save_cached_value(job, scope, key, writer, JsonText(given["value"]), lasts)


async def _do_in_pipeline(job: ClaimedJob, port: ContextPort, verb: str, given: Mapping[str, Any]) -> Any:
    value: Any
    match verb:
        case "open_stages":
            value = await port.open_stages(job)
        case "load_context":
            value = await port.load_context(job)
        case "load_history":
            visits = [asdict(visit) for visit in await port.load_history(job)]
            value = [{**visit, "at": visit["at"].isoformat()} for visit in visits]
        case "await_signal":
            signal = await port.await_signal(job, given["name"])
            value = [signal.came, signal.data, signal.timed_out]
        case "spawn_children":
            wait, on_failure = WaitFor(given["wait"]), OnFailure(given["on_failure"])
            run, is_over = await port.spawn_children(job, **{**given, "wait": wait, "on_failure": on_failure})
            value = [str(run), is_over]
        case "load_children":
            children = await port.load_children(RunId(UUID(given["run"])))
            value = [[str(child.id), child.state, child.output, child.reason] for child in children]
        case _:
            raise ValueError(f"no verb {verb}")
    return value
