"""The comment at the top of a SQL file: its text becomes `comment on`, its `plan:` line settings.

    -- ready -> running: leases up to n jobs to a worker.
    -- Every later write for a job must carry the returned token.
    -- plan: no seqscan, no sort, generic

`no seqscan` stands for `enable_seqscan = off`, `generic` for `plan_cache_mode = force_generic_plan`: the
plan does not depend on statistics. A function with a `plan:` line is never compiled. Up to PostgreSQL 17 a
plan node that is switched off costs 1e10, far above `jit_above_cost`, so the server would compile such a
statement on every call.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADER = re.compile(r"(?:--[^\n]*\n)*")
_CREATED = re.compile(r"^create (?:or replace )?(function|procedure|view) (holdfast\.\w+)", re.MULTILINE)
_PLAN = "plan: "
_NODE = re.compile(r"no (seqscan|bitmapscan|sort|nestloop|mergejoin|hashjoin)")


@dataclass(frozen=True, slots=True)
class SqlHeader:
    kind: str
    name: str
    lines: tuple[str, ...]
    plan: tuple[str, ...]

    def statements(self) -> Iterator[str]:
        """By name alone: no function of the set is overloaded, and stale ones have been dropped by then."""
        if self.lines:
            comment = "\n".join(self.lines).replace("'", "''")
            yield f"comment on {self.kind} {self.name} is '{comment}';"
        if self.plan:
            yield f"alter {self.kind} {self.name} set jit = off;"
        for word in self.plan:
            if word != "no jit":
                yield f"alter {self.kind} {self.name} set {_setting(word)};"


def read_header(text: str) -> SqlHeader | None:
    """None if the file creates neither a function nor a view."""
    created = _CREATED.search(text)
    if created is None:
        return None
    header = _HEADER.match(text)
    lines = [line.removeprefix("--").strip() for line in (header[0] if header else "").splitlines()]
    plan = [line.removeprefix(_PLAN) for line in lines if line.startswith(_PLAN)]
    return SqlHeader(
        kind=created[1],
        name=created[2],
        lines=tuple(line for line in lines if not line.startswith(_PLAN)),
        plan=tuple(word for line in plan for word in line.split(", ")),
    )


def _setting(word: str) -> str:
    if word == "generic":
        return "plan_cache_mode = force_generic_plan"
    node = _NODE.fullmatch(word)
    if node is None:
        raise ValueError(f"a plan line of a SQL header cannot say {word!r}")
    return f"enable_{node[1]} = off"
