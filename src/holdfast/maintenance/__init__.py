"""Maintenance tasks that every worker runs; each is safe to run everywhere at once."""

from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.maintenance.standard_tasks import standard_tasks
from holdfast.maintenance.sweeper import Sweeper

__all__ = ["MaintenanceTask", "Sweeper", "standard_tasks"]
