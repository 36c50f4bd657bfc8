"""Every verb refuses a negative number of rows, and a scalar or list where options are expected."""

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.sql.refusals.verbs import Argument, call_with, verbs_with

# Ends of attempts: what a worker says beside an end is read as far as it makes sense, lest the end be lost.
TOLERANT = {
    "settle_and_claim",
    "settle_and_claim_known",
    "end_job",
    "end_message",
    "stop_worker",
    "renew_lease",
}
# A retry policy may be a preset's name or a list of delays; labels may be null.
SCALARS = {("enqueue", "retry"), ("enqueue", "labels")}


async def test_a_negative_number_of_rows_is_refused(conn: Connection) -> None:
    await expect_refusals(conn, await verbs_with(conn, "integer", {"max", "n"}), ["-1"], "at least")


async def test_options_that_are_no_object_are_refused(conn: Connection) -> None:
    wrong = ["5", '"text"', "true", "null", "[1]"]
    found = await verbs_with(conn, "jsonb", None)
    assert len(found) >= 15
    await expect_refusals(conn, found, [f"'{value}'" for value in wrong], "must be a JSON object")


async def expect_refusals(conn: Connection, found: list[Argument], values: list[str], words: str) -> None:
    wrong = {}
    for argument in found:
        if argument.verb in TOLERANT or (argument.verb, argument.name) in SCALARS:
            continue
        for value in values:
            told = await call_with(conn, argument, value)
            if told is None or told[0] != "HF002" or words not in told[1]:
                wrong[argument.verb, argument.name, value] = told
    assert wrong == {}


async def test_what_is_tolerant_is_still_there(conn: Connection) -> None:
    rows: list[Record] = await conn.fetch(
        "select proname from pg_proc where pronamespace = 'holdfast'::regnamespace"
    )
    assert {row["proname"] for row in rows} >= TOLERANT
