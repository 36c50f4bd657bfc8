"""Figures for people: statistics, recent errors, the report, and figures from outside."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import OBJECT, TEXT, Body
from holdfast.api.request.pages import FARTHEST, Cursor, Size, page, page_by_place, paged, read_number
from holdfast.api.request.query_filters import ERROR_FILTERS
from holdfast.api.request.routes import Route, Since, router
from holdfast.api.request.sample import sample, typed
from holdfast.client.app import Holdfast
from holdfast.client.errors import read_errors
from holdfast.client.report.read_report import read_report
from holdfast.db import metrics, stats
from holdfast.model.access_key import AccessAction
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidPayload
from holdfast.model.report import Report
from holdfast.model.reported_metric import ReportedMetric, ReportedValue
from holdfast.model.stats import CallsBy, CallStats, EndStats, ErrorGroup, ErrorTotal, StatsBy, TimeParts

ByWhat = Annotated[StatsBy, Query(description="What a line is about.")]
ByCall = Annotated[CallsBy, Query(description="What a line is about.")]
OfQueue = Annotated[str | None, Query(description="Only this queue.")]
OfTask = Annotated[str | None, Query(description="Only this task.")]
METRIC = Body(
    {"name": TEXT, "value": {"type": "number"}, "labels": OBJECT},
    ["name", "value"],
    {"name": "model_server_load", "value": 0.8, "labels": {"host": "gpu1"}},
)


class Statistics:
    """A key for some queues or tasks must name one of them; reports and figures from outside need a key for
    all.
    """

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        named = ("success_rate", "retry_rate", "retry_success_rate", "retries_per_job")
        rates = dict.fromkeys(named, typed(float | None, 0.5))
        ended = {"ended": [{**sample(EndStats, name="mail"), **rates}]}
        errors = paged("errors", sample(ErrorGroup), "100", total=sample(ErrorTotal))
        metric = sample(ReportedMetric, name="model_server_load")
        history = {"name": "model_server_load", "values": [sample(ReportedValue)]}
        return router(
            "statistics",
            Route("GET", "/stats", self.ended, ended),
            Route("GET", "/stats/calls", self.calls, {"calls": [sample(CallStats, name="llama")]}),
            Route("GET", "/stats/parts", self.parts, {"parts": [sample(TimeParts, name="send_mail")]}),
            Route("GET", "/errors", self.errors, errors, filters=ERROR_FILTERS),
            Route("GET", "/report", self.report, sample(Report)),
            Route("GET", "/reported-metrics", self.reported, paged("metrics", metric, "100")),
            Route(
                "POST", "/reported-metrics", self.report_metric, {"name": metric["name"]}, METRIC, status=201
            ),
            Route("GET", "/reported-metrics/{name}", self.history, history),
        )

    async def ended(
        self,
        request: Request,
        by: ByWhat = StatsBy.QUEUE,
        since: Since = "1h",
        queue: OfQueue = None,
        task: OfTask = None,
    ) -> Response:
        """What ended lately by queue, task, stage, label or hour: counts, rates, waits, run times, cost."""
        await self._list(request, queue, task)
        found = await stats.end_stats(self._app.database, parse_duration(since), by, queue, task)
        return answer({"ended": [one.document() for one in found]})

    async def calls(
        self,
        request: Request,
        by: ByCall = CallsBy.MODEL,
        since: Since = "1h",
        queue: OfQueue = None,
        task: OfTask = None,
    ) -> Response:
        """How models and tools were called lately."""
        await self._list(request, queue, task)
        return answer(
            {"calls": await stats.call_stats(self._app.database, parse_duration(since), by, queue, task)}
        )

    async def parts(
        self, request: Request, since: Since = "1h", queue: OfQueue = None, task: OfTask = None
    ) -> Response:
        """Where the time of each task went lately, in seconds."""
        await self._list(request, queue, task)
        return answer(
            {"parts": await stats.time_parts(self._app.database, parse_duration(since), queue, task)}
        )

    async def errors(
        self, request: Request, since: Since = "1h", limit: Size = 50, cursor: Cursor = None
    ) -> Response:
        """Attempts that failed, timed out or lost their worker, in groups of similar errors.

        The most frequent error comes first; `total` counts all of them.

        `trend` has 30 slices of the period, `before` counts the period before. `dead` and `completed` say how
        many of the newest jobs, at most 100 (`looked`), have ended so since.
        """
        given = ERROR_FILTERS.read(request, "since")
        await self._list(request, given.get("queue"), given.get("task"))
        start = read_number(cursor, FARTHEST) or 0
        found = await read_errors(self._app.database, since, limit, start, **given)
        end = start + limit
        following = end if end < min(found.total.groups, FARTHEST) else None
        return page("errors", found.items, following, total=found.total)

    async def report(self, request: Request, since: Since = "24h") -> Response:
        """What happened in the last `since`, at most 30 days, read in one snapshot: `holdfast report`."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return answer(await read_report(self._app.database, since))

    async def reported(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Figures from outside, each with its latest value."""
        await self._access.check(request, AccessAction.METRICS)
        return await page_by_place(
            "metrics", lambda most: metrics.reported_metrics(self._app.database, most), limit, cursor
        )

    async def history(self, request: Request, name: str, since: Since = "1h", limit: Size = 1000) -> Response:
        """The values of a figure from outside, the last one of each minute, the oldest first."""
        await self._access.check(request, AccessAction.METRICS)
        span = parse_duration(since)
        return answer(
            {"name": name, "values": await metrics.metric_history(self._app.database, name, span, limit)}
        )

    async def report_metric(self, request: Request) -> Response:
        """Stores a figure from outside, such as the load of a model server: for producers and workers too.

        The last value of each minute is kept for 7 days, and at most 100 sets of labels per name.
        """
        await self._access.check(request, AccessAction.REPORT_METRIC)
        given = await METRIC.read(request)
        labels: dict[str, Any] = given.get("labels", {})
        if not all(isinstance(one, str) for one in labels.values()):
            raise InvalidPayload("The value of a label must be a string.", path="$.labels")
        await metrics.report_metric(self._app.database, given["name"], float(given["value"]), labels)
        return answer({"name": given["name"]}, 201)

    async def _list(self, request: Request, queue: str | None, task: str | None) -> None:
        queues, tasks = (None if one is None else [one] for one in (queue, task))
        await self._access.check(request, AccessAction.LIST_JOBS, queues=queues, tasks=tasks)
