"""The installer makes comments and plan settings from the headers of the SQL files."""

import pytest

from holdfast.db.connect import Connection
from holdfast.db.migrate import migrate
from holdfast.db.sql_header import read_header
from tests.migration.release import FILES, connection, with_function

SETTINGS = "select proconfig from pg_proc where oid = ('holdfast.' || $1::text)::regproc"
COMMENT = "select obj_description(('holdfast.' || $1::text)::regproc, 'pg_proc')"
PLANNED = """-- (nothing): it's planned.
-- For a test.
-- plan: no seqscan, no sort, generic
create or replace function holdfast.planned() returns integer
language sql security definer
set search_path = holdfast, pg_temp
as 'select 1';
"""


async def test_a_plan_line_becomes_settings_beside_those_of_the_file(conn: Connection) -> None:
    assert await conn.fetchval(SETTINGS, "settle_and_claim") == [
        "search_path=holdfast, pg_temp",
        "jit=off",
        "enable_seqscan=off",
        "enable_bitmapscan=off",
        "enable_sort=off",
        "plan_cache_mode=force_generic_plan",
    ]
    assert await conn.fetchval(SETTINGS, "enqueue") == ["search_path=holdfast, pg_temp"]


async def test_an_upgrade_takes_settings_and_comment_from_the_new_header(empty_database_url: str) -> None:
    async with connection(empty_database_url) as conn:
        await migrate(conn, with_function(PLANNED))
        assert await conn.fetchval(COMMENT, "planned") == "(nothing): it's planned.\nFor a test."
        assert len(await conn.fetchval(SETTINGS, "planned")) == 5
        changed = PLANNED.replace("-- plan: no seqscan, no sort, generic\n", "").replace(
            "For a", "For another"
        )
        await migrate(conn, with_function(changed))
        assert await conn.fetchval(COMMENT, "planned") == "(nothing): it's planned.\nFor another test."
        assert await conn.fetchval(SETTINGS, "planned") == ["search_path=holdfast, pg_temp"]


async def test_a_signature_that_changes_leaves_one_function_with_its_comment(empty_database_url: str) -> None:
    async with connection(empty_database_url) as conn:
        await migrate(conn, with_function(PLANNED))
        await migrate(conn, with_function(PLANNED.replace("planned()", "planned(n integer)")))
        assert await conn.fetchval(COMMENT, "planned") == "(nothing): it's planned.\nFor a test."


def test_a_change_of_a_header_alone_is_a_change_of_the_set() -> None:
    assert with_function(PLANNED).hash != with_function(PLANNED.replace("no sort", "no bitmapscan")).hash


def test_a_plan_line_with_an_unknown_word_is_refused() -> None:
    header = read_header(PLANNED.replace("no sort", "no luck"))
    assert header is not None
    with pytest.raises(ValueError, match="no luck"):
        list(header.statements())


def test_plan_settings_stand_in_headers_only() -> None:
    """Set by hand beside a plan line, the two would overwrite each other."""
    words = ("set jit", "set enable_", "set plan_cache_mode", "comment on function", "comment on view")
    assert [file.name for file in FILES.functions if any(f"\n{word}" in file.text for word in words)] == []
