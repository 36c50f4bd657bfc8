"""Memory, CPU and event-loop lag of the worker's process, as its heartbeat reports them."""

import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, process_time

from holdfast.worker.metrics.loop_watch import LoopWatch

STATM = Path("/proc/self/statm")


class ProcessGauges:
    """Read by the lease's thread. `cpu` is in cores, over the time since the last heartbeat."""

    def __init__(self, watch: LoopWatch) -> None:
        self._watch = watch
        self._cpu, self._at = process_time(), monotonic()

    def read(self) -> Mapping[str, float | None]:
        cpu, at = process_time(), monotonic()
        used = (cpu - self._cpu) / max(at - self._at, 0.001)
        self._cpu, self._at = cpu, at
        return {"memory": resident_memory(), "cpu": round(used, 3), "loop_lag": round(self._watch.lag, 4)}


def resident_memory() -> int | None:
    """None where the system has no /proc, and while the process has no descriptor left for it."""
    try:
        pages = int(STATM.read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
