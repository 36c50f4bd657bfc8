"""Writes the list of SQL functions in docs/life-of-a-job.md: `python -m tests.docs.sql_of_a_turn`.

Reached: what the bodies name, from `settle_and_claim` on, whether a job needs it or not. Called: what
PostgreSQL counts while a plain job is claimed and completed, without functions that the planner inlines.
"""

import asyncio
import re
from collections import defaultdict
from pathlib import PurePath

import asyncpg

from bench.turns import Drain
from holdfast.db.connect import Connection
from holdfast.db.sql_files import load_sql_files
from holdfast.testing.database import fresh_database
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "life-of-a-job.md"
BEGIN, END = "<!-- written by python -m tests.docs.sql_of_a_turn -->\n", "<!-- end of the SQL -->\n"
START = "settle_and_claim"
CALL = re.compile(r"\bholdfast\.(\w+)\(")
COMMENT = re.compile(r"--[^\n]*")
DEFINED = re.compile(r"^create or replace function holdfast\.(\w+)\(", re.MULTILINE)
CALLED = "select funcname from pg_stat_xact_user_functions where schemaname = 'holdfast'"


def bodies() -> dict[str, tuple[str, str]]:
    """Of each function its subject, which is the folder of its file, and its text without comments."""
    found = {}
    for file in load_sql_files().functions:
        text = COMMENT.sub("", file.text)
        starts = [*DEFINED.finditer(text)]
        ends = [start.start() for start in starts[1:]] + [len(text)] * bool(starts)
        for start, end in zip(starts, ends, strict=True):
            found[start[1]] = PurePath(file.name).parts[0], text[start.end() : end]
    return found


def reached(of: dict[str, tuple[str, str]], start: str = START) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [called for called in CALL.findall(of[name][1]) if called in of]
    return seen


async def called(conn: Connection) -> set[str]:
    """By two turns of a worker, inside the caller's transaction: one claims the job, one settles it."""
    drain = Drain(conn, "plain")
    await drain.prepare({}, jobs=2)
    await conn.execute("set local track_functions = 'all'")
    await drain.turn(1)
    await drain.turn(1)
    return {row["funcname"] for row in await conn.fetch(CALLED)}


def listing(plain: set[str]) -> str:
    of = bodies()
    names = reached(of)
    subjects: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        subjects[of[name][0]].append(f"**`{name}`**" if name in plain else f"`{name}`")
    rows = "".join(f"| {subject} | {', '.join(those)} |\n" for subject, those in sorted(subjects.items()))
    return (
        f"\n`{START}` reaches {len(names)} functions; a plain job calls {len(plain & names)} of them, "
        f"set in bold.\n\n| subject | functions |\n|---|---|\n{rows}\n"
    )


def page(plain: set[str]) -> str:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}{listing(plain)}{END}{rest.partition(END)[2]}"


async def main() -> None:
    async with fresh_database() as url:
        conn = await asyncpg.connect(url)
        async with conn.transaction():
            plain = await called(conn)
        await conn.close()
    PAGE.write_text(page(plain))


if __name__ == "__main__":
    asyncio.run(main())
