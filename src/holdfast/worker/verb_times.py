"""How often a connection called each verb, and how long the calls took."""

import re
from collections.abc import Mapping

OTHERS = "others"
VERB = re.compile(r"holdfast\.(\w+)")

# Calls and seconds by statement. Statements are constants of holdfast.db: there are some dozens.
StatementTimes = dict[str, list[float]]


def by_verb(times: Mapping[str, list[float]]) -> dict[str, tuple[int, float]]:
    """Calls and seconds. The first verb of a statement gives it its name; may be called by any thread."""
    sums: dict[str, tuple[int, float]] = {}
    for statement, (calls, seconds) in list(times.items()):
        match = VERB.search(statement)
        verb = match[1] if match else OTHERS
        before = sums.get(verb, (0, 0.0))
        sums[verb] = before[0] + int(calls), before[1] + seconds
    return sums
