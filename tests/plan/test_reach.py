"""How many functions a worker's turn can reach, and which of them lock jobs, by the installed bodies."""

import re

from holdfast.db.connect import Connection

BODIES = """
select p.proname, p.prosrc from pg_proc as p
where p.pronamespace = 'holdfast'::regnamespace and p.prokind = 'f'
"""
CALL = re.compile(r"\bholdfast\.(\w+)\(")
COMMENT = re.compile(r"--[^\n]*")
LOCKS_JOBS = re.compile(r"from holdfast\.jobs\b[^;]*?\bfor update\b")

# Lower it whenever the path gets shorter.
MOST = 222


async def test_a_turn_reaches_no_more_functions_than_it_did(conn: Connection) -> None:
    reached = reach(await bodies(conn), "settle_and_claim")
    assert len(reached) <= MOST, sorted(reached)


async def test_the_count_finds_what_a_function_calls(conn: Connection) -> None:
    assert {"settle_jobs", "hold_ends", "move_to_history"} <= reach(await bodies(conn), "settle_and_claim")


async def test_ends_lock_their_jobs_in_one_place(conn: Connection) -> None:
    """Besides that, an end locks the next job of its order key, and the children that it cancels."""
    found = await bodies(conn)
    locking = {name for name in reach(found, "settle_jobs") if LOCKS_JOBS.search(found[name])}
    assert locking == {"hold_ends", "next_of_order_key", "cancel_level"}


async def bodies(conn: Connection) -> dict[str, str]:
    return {row["proname"]: COMMENT.sub("", row["prosrc"]) for row in await conn.fetch(BODIES)}


def reach(bodies: dict[str, str], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [called for called in CALL.findall(bodies[name]) if called in bodies]
    return seen
