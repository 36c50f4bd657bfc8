"""Errors that are alike share a mark; errors that differ do not."""

from holdfast.db.connect import Connection

ERROR = ("transient", "ValueError", "row 5 of 'users' failed", "app.py:3 in load")


async def mark(conn: Connection, *error: str | None) -> str:
    value: str = await conn.fetchval("select holdfast.fingerprint($1, $2, $3, $4)", *error)
    return value


async def test_numbers_ids_and_quoted_parts_do_not_count(conn: Connection) -> None:
    a, b, _, d = ERROR
    alike = [
        "row 5 of 'users' failed",
        "row 123456 of 'orders' failed",
        'row 0 of "x" failed',
        "row 0xdeadbeef of 'users' failed",
        "row 01a1e107-ea68-76ae-b52e-b21a5bea298a of 'users' failed",
        "row deadbeefdeadbeef of 'users' failed",
    ]
    assert len({await mark(conn, a, b, message, d) for message in alike}) == 1


async def test_class_type_message_and_place_count(conn: Connection) -> None:
    variants = [ERROR]
    for n in range(4):
        changed = list(ERROR)
        changed[n] = "other"
        variants.append((changed[0], changed[1], changed[2], changed[3]))
    assert len({await mark(conn, *variant) for variant in variants}) == 5


async def test_nothing_has_a_mark_too(conn: Connection) -> None:
    assert len(await mark(conn, None, None, None, None)) == 16
