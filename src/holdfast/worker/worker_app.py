"""The interface of an application for a worker; `holdfast.client.Holdfast` implements it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from holdfast.db.connect import Database
from holdfast.db.statement import Declare
from holdfast.model.app_hooks import AppHooks
from holdfast.model.classify import Classifier
from holdfast.model.payload import JsonText
from holdfast.model.process_limits import ProcessLimits
from holdfast.pipeline.define import Pipeline
from holdfast.telemetry.hooks import EventHooks
from holdfast.telemetry.tracer import Tracer


class WorkerTask(Protocol):
    """A name and its handler."""

    @property
    def name(self) -> str: ...

    @property
    def handler(self) -> Callable[..., Any]: ...

    @property
    def context_parameter(self) -> str | None:
        """The parameter that takes the JobContext, if there is one."""

    @property
    def process(self) -> ProcessLimits | None:
        """Set in process mode."""

    @property
    def classify(self) -> Classifier:
        """The classes of the handler's exceptions."""

    @property
    def app_hooks(self) -> AppHooks:
        """The resources and wrappers of its app."""

    @property
    def can_yield(self) -> bool:
        """Whether the handler returns its job unfinished when its worker is about to exit."""

    @property
    def bind(self) -> Callable[[Any], dict[str, Any]]:
        """Turns a payload into the handler's arguments, by name; raises InvalidInput if it does not fit."""

    def encode_output(self, value: Any) -> JsonText:
        """The handler's return value as JSON; raises InvalidPayload if it is not JSON."""


class WorkerApp(Protocol):
    @property
    def tasks(self) -> Mapping[str, WorkerTask]: ...

    @property
    def database(self) -> Database: ...

    @property
    def pipelines(self) -> Mapping[str, Pipeline]: ...

    @property
    def app_hooks(self) -> AppHooks: ...

    @property
    def event_hooks(self) -> EventHooks: ...

    @property
    def version(self) -> str | None: ...

    @property
    def tracer(self) -> Tracer | None: ...

    def declarations(self) -> Mapping[str, Declare]:
        """The settings of queues, tasks, pipelines, schedules and endpoints, to be sent in this order."""
