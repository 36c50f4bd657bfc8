"""Where work happens: claim, run, settle, renew, drain."""

from holdfast.worker.context import JobContext
from holdfast.worker.report import WorkerReport
from holdfast.worker.signals import stop_on_signals
from holdfast.worker.worker import Worker

__all__ = ["JobContext", "Worker", "WorkerReport", "stop_on_signals"]
