"""How often a connection called each verb, and how long the calls took."""

import re

# A statement is a constant of holdfast.db: there are some dozens.
MOST = 500
OTHERS = "others"
VERB = re.compile(r"holdfast\.(\w+)")


class VerbTimes:
    """Noted by statement, which costs one look-up per call; the verb is found only when someone asks."""

    __slots__ = ("_by_statement",)

    def __init__(self) -> None:
        self._by_statement: dict[str, list[float]] = {}

    def note(self, statement: str, seconds: float) -> None:
        """One call that was answered."""
        found = self._by_statement.get(statement)
        if found is None:
            key = statement if len(self._by_statement) < MOST else OTHERS
            found = self._by_statement.setdefault(key, [0, 0.0])
        found[0] += 1
        found[1] += seconds

    def by_verb(self) -> dict[str, tuple[int, float]]:
        """Calls and seconds. The first verb of a statement gives it its name; may be called by any thread."""
        sums: dict[str, tuple[int, float]] = {}
        for statement, (calls, seconds) in list(self._by_statement.items()):
            match = VERB.search(statement)
            verb = match[1] if match else OTHERS
            before = sums.get(verb, (0, 0.0))
            sums[verb] = before[0] + int(calls), before[1] + seconds
        return sums
