"""Chores that keep the queue in order; every worker does them, and each is safe to do everywhere at once."""

from holdfast.maintenance.chore import Chore
from holdfast.maintenance.chores import standard_chores
from holdfast.maintenance.sweeper import Sweeper

__all__ = ["Chore", "Sweeper", "standard_chores"]
