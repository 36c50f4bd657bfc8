"""Figures from outside, the depth of queues, and workers that left."""

from collections.abc import Mapping

from holdfast.client.connection_pools import Links
from holdfast.client.database_metrics import MAX_SERIES, database_metrics
from holdfast.client.sync import SyncLoop
from holdfast.db import depths, metrics, worker_list
from holdfast.db.statement import Executor
from holdfast.model.depth import DepthSample
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.reported_metric import ReportedMetric, ReportedValue
from holdfast.model.worker import LeftWorkers


class Metrics:
    """Available as `app.metrics`."""

    def __init__(self, links: Links, sync: SyncLoop) -> None:
        self._links = links
        self._sync = sync

    async def text(self, max_series: int = MAX_SERIES) -> str:
        """The figures of the whole installation as Prometheus reads them, at most `max_series` of them."""
        return await database_metrics(self._database, max_series)

    async def report(self, name: str, value: float, labels: Mapping[str, str] | None = None) -> None:
        """Stores a figure from outside, such as the load of a model server.

        The last value of each minute is kept for 7 days. `name` is a Prometheus name. At most 100 sets of
        labels are kept per name, then new ones are refused.
        """
        await metrics.report_metric(self._database, name, value, labels)

    def report_sync(self, name: str, value: float, labels: Mapping[str, str] | None = None) -> None:
        """The same for code without an event loop."""
        self._sync.run(lambda link: metrics.report_metric(link.database, name, value, labels))

    async def reported(self, limit: int = 1000) -> list[ReportedMetric]:
        """The latest value of each metric that was reported, by name and labels."""
        return await metrics.reported_metrics(self._database, limit)

    async def history(self, name: str, since: Duration = "1h", limit: int = 10_000) -> list[ReportedValue]:
        """The values of one metric that was reported, the last of each minute; the oldest first."""
        return await metrics.metric_history(self._database, name, parse_duration(since), limit)

    async def depth_history(
        self, since: Duration = "1h", queue: str | None = None, limit: int = 10_000
    ) -> list[DepthSample]:
        """How many jobs of each queue were live, by minute for 7 days and then by hour; the oldest first."""
        return await depths.depth_history(self._database, parse_duration(since), queue, limit)

    async def left_workers(self, since: Duration = "1d", group: str | None = None) -> list[LeftWorkers]:
        """Workers that left, by hour and group."""
        return await worker_list.left_workers(self._database, parse_duration(since), group)

    @property
    def _database(self) -> Executor:
        return self._links.here().database
