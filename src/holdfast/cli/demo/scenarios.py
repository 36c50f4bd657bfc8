"""What the demo can show."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from holdfast.cli.demo import conclude as plain
from holdfast.cli.demo.pipeline import conclude as pipeline
from holdfast.cli.demo.pipeline.run import Outcome as PipelineOutcome
from holdfast.cli.demo.pipeline.run import run_pipeline
from holdfast.cli.demo.run import Outcome, run_demo
from holdfast.cli.demo.time_box import conclude as time_box
from holdfast.cli.demo.time_box.run import Outcome as TimeBoxOutcome
from holdfast.cli.demo.time_box.run import run_time_boxes

T = TypeVar("T")


class Name(StrEnum):
    PLAIN = "plain"
    TIME_BOX = "time-box"
    PIPELINE = "pipeline"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where it happened, and whether that stays."""

    directory: Path
    keep: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Scenario(Generic[T]):
    """`run` with so many jobs and workers unless others are asked for; `conclude` exits with 1 if need be."""

    jobs: int
    workers: int
    run: Callable[[Path, int, int], Coroutine[Any, Any, T]]
    conclude: Callable[[T, Setting], None]


def _plain(outcome: Outcome, setting: Setting) -> None:
    plain.conclude(outcome, setting.directory, setting.keep, setting.seconds)


def _time_box(outcome: TimeBoxOutcome, setting: Setting) -> None:
    time_box.conclude(outcome, setting.seconds)


def _pipeline(outcome: PipelineOutcome, setting: Setting) -> None:
    pipeline.conclude(outcome, setting.seconds, setting.directory if setting.keep else None)


SCENARIOS: dict[Name, Scenario[Any]] = {
    Name.PLAIN: Scenario(200, 2, run_demo, _plain),
    Name.TIME_BOX: Scenario(5000, 5, run_time_boxes, _time_box),
    Name.PIPELINE: Scenario(1000, 4, run_pipeline, _pipeline),
}
