"""The worker: claim, run, settle, renew, drain."""

from holdfast.worker.context.job_context import JobContext
from holdfast.worker.shutdown.signals import stop_on_signals
from holdfast.worker.worker import Worker
from holdfast.worker.worker_report import WorkerReport

__all__ = ["JobContext", "Worker", "WorkerReport", "stop_on_signals"]
