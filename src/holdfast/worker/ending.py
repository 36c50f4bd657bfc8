"""From what a handler returned to how its attempt ends."""

from typing import Any

from holdfast.model.error import BadHandler
from holdfast.model.outcome import DONE, Advanced, Completed, End, Verb, end_of
from holdfast.model.payload import JsonText, encode
from holdfast.model.route import Advance
from holdfast.pipeline.models import StageModels
from holdfast.pipeline.output import plain_output
from holdfast.worker.running import Running

_ONWARD = End(Verb.ADVANCE, None, None)


def ending(running: Running, value: Any, models: StageModels) -> End:
    """Raises what makes the attempt a failure: an output that does not fit, or a marker not returned."""
    job = running.job
    if job.stage is None:
        if running.said is not None:
            raise _unreturned(running)
        if value is None and running.units is None:
            return DONE
        return end_of(Completed(running.handler.encode_output(value), running.units))
    if isinstance(value, Advance):
        return _advance(running, value, models)
    if running.said is not None:
        raise _unreturned(running)
    model = models.of(job.queue, job.stage)
    if model is None and value is None and running.units is None:
        return _ONWARD
    output = running.handler.encode_output(value) if model is None else model.encode(value)
    return end_of(Advanced(output=output, units=running.units))


def check_end(running: Running, end: End, models: StageModels) -> End:
    """An end that a child process made, whose output is JSON already."""
    model = models.of(running.job.queue, running.job.stage)
    if model is not None and end.verb in (Verb.ADVANCE, Verb.COMPLETE):
        model.check(end.output)
    return end


def _advance(running: Running, way: Advance, models: StageModels) -> End:
    output = _output(running, way.output, models) if way.is_checked else encode(way.output)
    if not way.stages:
        return end_of(Completed(output, running.units))
    if way.is_many:
        many = Advanced(
            output=output, units=running.units, stages=way.stages, on_failure=way.on_failure.value
        )
        return end_of(many)
    return end_of(Advanced(way.stages[0], output, delay=way.delay, units=running.units))


def _output(running: Running, value: Any, models: StageModels) -> JsonText | None:
    model = models.of(running.job.queue, running.job.stage)
    if model is not None:
        return model.encode(value)
    return None if value is None else encode(plain_output(value))


def _unreturned(running: Running) -> BadHandler:
    return BadHandler(
        f"The handler of {running.job.task} called ctx.advance and returned something else.",
        "write return ctx.advance(…); the call alone moves nothing",
    )
