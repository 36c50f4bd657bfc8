"""What a worker needs of an application; `holdfast.client.Holdfast` is one."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from holdfast.db.connect import Database
from holdfast.db.statement import Declare
from holdfast.model.classify import Classifier
from holdfast.model.payload import JsonText
from holdfast.model.process import ProcessLimits
from holdfast.model.surroundings import Surroundings
from holdfast.pipeline.define import Pipeline


class WorkerTask(Protocol):
    """A name and the function that does its work."""

    @property
    def name(self) -> str: ...

    @property
    def handler(self) -> Callable[..., Any]: ...

    @property
    def context_parameter(self) -> str | None:
        """The parameter that takes the JobContext, if there is one."""

    @property
    def process(self) -> ProcessLimits | None:
        """Given if the handler runs in a process of its own."""

    @property
    def classify(self) -> Classifier:
        """Which class an exception of the handler is."""

    @property
    def surroundings(self) -> Surroundings:
        """Those of its app."""

    @property
    def can_yield(self) -> bool:
        """Whether the handler gives its job back unfinished when its worker is about to leave."""

    def bind(self, payload: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The handler's arguments, converted by its annotations; raises InvalidInput if they do not fit."""

    def encode_output(self, value: Any) -> JsonText:
        """What the handler returned, as JSON; raises InvalidPayload if that cannot be."""


class WorkerApp(Protocol):
    @property
    def tasks(self) -> Mapping[str, WorkerTask]: ...

    @property
    def database(self) -> Database: ...

    @property
    def pipelines(self) -> Mapping[str, Pipeline]: ...

    @property
    def surroundings(self) -> Surroundings: ...

    @property
    def version(self) -> str | None: ...

    def declarations(self) -> Mapping[str, Declare]:
        """What is said of queues, tasks, pipelines and endpoints, to be sent in this order."""
