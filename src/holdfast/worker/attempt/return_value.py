"""Turns the return value of a handler into the end of its attempt."""

from typing import Any

from holdfast.model.error import BadHandler
from holdfast.model.outcome import DONE, Advanced, Completed, End, Verb, end_of
from holdfast.model.payload import JsonText, encode
from holdfast.model.stage_routing import Advance
from holdfast.pipeline.models import StageModels
from holdfast.pipeline.output import OutputModel, plain_output
from holdfast.worker.attempt.running_attempt import Attempt

_ONWARD = End(Verb.ADVANCE, None, None)


def returned(attempt: Attempt, models: StageModels) -> Attempt:
    """The end of an attempt whose handler has returned. A child process has already made it of the value.

    Raises if the attempt failed after all: the output does not fit, or the handler did not return the marker.
    """
    job, value = attempt.job, attempt.value
    if attempt.end is not None:
        _check_output(attempt.end, models.of(job.queue, job.stage))
    elif isinstance(value, Advance) and job.stage is not None:
        attempt.end = _advance(attempt, value, models)
    elif attempt.marker is not None:
        raise _unreturned(attempt)
    elif job.stage is not None:
        attempt.end = _next_stage(attempt, models.of(job.queue, job.stage))
    elif value is None and attempt.units is None:
        attempt.end = DONE
    else:
        attempt.end = end_of(Completed(attempt.handler.encode_output(value), attempt.units))
    return attempt


def _check_output(end: End, model: OutputModel | None) -> None:
    """Of an end that a child process reported; its output is already JSON."""
    if model is not None and end.verb in (Verb.ADVANCE, Verb.COMPLETE):
        model.check(end.output)


def _next_stage(attempt: Attempt, model: OutputModel | None) -> End:
    value = attempt.value
    if model is None and value is None and attempt.units is None:
        return _ONWARD
    output = attempt.handler.encode_output(value) if model is None else model.encode(value)
    return end_of(Advanced(output=output, units=attempt.units))


def _advance(attempt: Attempt, way: Advance, models: StageModels) -> End:
    output = _output(attempt, way.output, models) if way.is_checked else encode(way.output)
    if not way.stages:
        return end_of(Completed(output, attempt.units))
    if way.is_many:
        many = Advanced(
            output=output, units=attempt.units, stages=way.stages, on_failure=way.on_failure.value
        )
        return end_of(many)
    return end_of(Advanced(way.stages[0], output, delay=way.delay, units=attempt.units))


def _output(attempt: Attempt, value: Any, models: StageModels) -> JsonText | None:
    model = models.of(attempt.job.queue, attempt.job.stage)
    if model is not None:
        return model.encode(value)
    return None if value is None else encode(plain_output(value))


def _unreturned(attempt: Attempt) -> BadHandler:
    return BadHandler(
        f"The handler of {attempt.job.task} called ctx.advance and returned something else.",
        "write return ctx.advance(…); the call alone has no effect",
    )
