"""The faults, by name. Each is injected once, undone where necessary, and returns whether it hit."""

from chaos.fault_definition import Fault
from chaos.faults import database_faults, network_faults, worker_faults

FAULTS: dict[str, Fault] = {
    fault.name: fault for fault in (*worker_faults.FAULTS, *network_faults.FAULTS, *database_faults.FAULTS)
}

__all__ = ["FAULTS", "Fault"]
