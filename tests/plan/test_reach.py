"""How many functions a worker's turn can reach, and which of them lock jobs, by their bodies."""

import re

from holdfast.db.connect import Connection
from tests.docs.sql_of_a_turn import PAGE, bodies, called, page, reached

LOCKS_JOBS = re.compile(r"from holdfast\.jobs\b[^;]*?\bfor update\b")

# Lower it whenever the path gets shorter.
MOST = 221


def test_a_turn_reaches_no_more_functions_than_it_did() -> None:
    names = reached(bodies())
    assert len(names) <= MOST, sorted(names)


def test_the_count_finds_what_a_function_calls() -> None:
    assert {"settle_jobs", "hold_ends", "move_to_history"} <= reached(bodies())


async def test_the_page_names_what_a_turn_reaches_and_what_a_plain_job_calls(conn: Connection) -> None:
    plain = await called(conn)
    assert {"settle_and_claim", "settle_jobs", "move_to_history"} <= plain
    assert PAGE.read_text() == page(plain), "run python -m tests.docs.sql_of_a_turn"


def test_ends_lock_their_jobs_in_one_place() -> None:
    """Besides that, an end locks the next job of its order key, and the children that it cancels."""
    found = bodies()
    locking = {name for name in reached(found, "settle_jobs") if LOCKS_JOBS.search(found[name][1])}
    assert locking == {"hold_ends", "next_of_order_key", "cancel_level"}
