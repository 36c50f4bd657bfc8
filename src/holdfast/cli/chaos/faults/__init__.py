"""The faults, by name. Each does its harm once, mends what does not mend itself, and says if it hit."""

from holdfast.cli.chaos.faults import database, network, workers
from holdfast.cli.chaos.faults.fault import Fault

FAULTS: dict[str, Fault] = {
    fault.name: fault for fault in (*workers.FAULTS, *network.FAULTS, *database.FAULTS)
}

__all__ = ["FAULTS", "Fault"]
