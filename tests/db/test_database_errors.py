import asyncpg
import pytest
from asyncpg import Record

from holdfast.db.database_errors import OWN_STATES, SERVER_STATES, translate
from holdfast.db.statement import run
from holdfast.model.error import (
    DatabaseError,
    DatabaseUnavailable,
    HoldfastError,
    InvalidInput,
    InvalidPayload,
    PermissionDenied,
    SchemaBehind,
)

MISSING = {
    "3F000": "create table no_such_schema.t ()",
    "42883": "select holdfast.no_such_verb()",
    "42P01": "select from holdfast.no_such_view",
    "42703": "select no_such_column from holdfast.job_view",
}


async def raised_with(conn: "asyncpg.Connection[Record]", state: str, detail: str = "") -> HoldfastError:
    raising = f"""
    do $$
    begin
      raise exception using
        errcode = '{state}', message = 'What is wrong.', hint = 'What to do.', detail = '{detail}';
    end
    $$
    """
    with pytest.raises(HoldfastError) as caught:
        await run(conn, raising)
    return caught.value


@pytest.mark.parametrize(("state", "kind"), OWN_STATES.items())
async def test_holdfasts_own_states_become_its_own_errors_word_for_word(
    conn: "asyncpg.Connection[Record]", state: str, kind: type[HoldfastError]
) -> None:
    error = await raised_with(conn, state)
    assert type(error) is kind
    assert (error.message, error.hint) == ("What is wrong.", "What to do.")


async def test_a_refused_payload_keeps_its_path(conn: "asyncpg.Connection[Record]") -> None:
    error = await raised_with(conn, "HF001", "$.a[3].b")
    assert isinstance(error, InvalidPayload)
    assert error.path == "$.a[3].b"


async def test_an_own_state_without_a_hint_gets_that_of_its_class(conn: "asyncpg.Connection[Record]") -> None:
    with pytest.raises(HoldfastError) as caught:
        await run(conn, "do $$ begin raise exception using errcode = 'HF006', message = 'x'; end $$")
    assert caught.value.hint == caught.value.default_hint


@pytest.mark.parametrize(
    ("state", "kind_and_hint"), [item for item in SERVER_STATES.items() if item[0] not in MISSING]
)
async def test_states_of_the_server_have_a_hint_of_ours(
    conn: "asyncpg.Connection[Record]", state: str, kind_and_hint: tuple[type[HoldfastError], str | None]
) -> None:
    kind, hint = kind_and_hint
    error = await raised_with(conn, state)
    assert type(error) is kind
    assert error.hint == (hint or kind.default_hint)


@pytest.mark.parametrize("state", ["08006", "57P01", "57P03", "53400", "58030"])
async def test_a_server_that_goes_down_is_unavailable(conn: "asyncpg.Connection[Record]", state: str) -> None:
    assert type(await raised_with(conn, state)) is DatabaseUnavailable


async def test_any_other_state_is_shown_with_its_code(conn: "asyncpg.Connection[Record]") -> None:
    error = await raised_with(conn, "22012")
    assert type(error) is DatabaseError
    assert error.sqlstate == "22012"
    assert "22012" in error.message


@pytest.mark.parametrize("state", MISSING)
async def test_what_is_missing_means_that_the_schema_is_behind(
    conn: "asyncpg.Connection[Record]", state: str
) -> None:
    with pytest.raises(SchemaBehind) as caught:
        await run(conn, MISSING[state])
    assert caught.value.hint == "run 'holdfast migrate'"


@pytest.mark.parametrize("state", MISSING)
async def test_what_is_missing_inside_a_function_is_a_defect(
    conn: "asyncpg.Connection[Record]", state: str
) -> None:
    error = await raised_with(conn, state)
    assert type(error) is DatabaseError
    assert error.sqlstate == state


async def test_a_missing_right_is_a_permission_error(conn: "asyncpg.Connection[Record]") -> None:
    await conn.execute("set local role holdfast_viewer")
    with pytest.raises(PermissionDenied):
        await run(conn, "delete from holdfast.jobs")


async def test_a_value_that_the_driver_refuses_is_invalid_input(conn: "asyncpg.Connection[Record]") -> None:
    with pytest.raises(InvalidInput):
        await run(conn, "select $1::integer", "five")


@pytest.mark.parametrize(
    ("exc", "kind"),
    [
        (ConnectionRefusedError(), DatabaseUnavailable),
        (TimeoutError(), DatabaseUnavailable),
        (asyncpg.InterfaceError("connection is closed"), DatabaseUnavailable),
        (asyncpg.ConnectionDoesNotExistError("gone"), DatabaseUnavailable),
        (SchemaBehind("already ours"), SchemaBehind),
        (RuntimeError("unforeseen"), DatabaseError),
    ],
)
def test_what_the_driver_raises_is_translated(exc: Exception, kind: type[HoldfastError]) -> None:
    error = translate(exc)
    assert type(error) is kind
    assert error.hint
