"""The faults, by name. Each is injected once, undone where necessary, and returns whether it hit."""

from chaos.fault_definition import Fault
from chaos.faults import api_faults, database_faults, network_faults, worker_faults

FAULTS: dict[str, Fault] = {
    fault.name: fault
    for faults in (worker_faults, network_faults, database_faults, api_faults)
    for fault in faults.FAULTS
}

__all__ = ["FAULTS", "Fault"]
