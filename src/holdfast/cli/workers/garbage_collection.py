"""The garbage collector of a process that is a worker and nothing else."""

import gc

# New containers between two collections. A worker keeps a few thousand per claim until their jobs have ended:
# with Python's 700 it searched them again and again, which took 7 to 13 % of its time.
THRESHOLD = 100_000


def relax_garbage_collection() -> None:
    """What exists when a worker has started stays until it exits: the collector need not look at it again.

    Only for the command: in another program these settings are the program's own.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])
