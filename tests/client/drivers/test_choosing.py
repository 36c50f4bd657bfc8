"""Which connections are known, which are refused, and that knowing them loads nothing."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from holdfast.client.app import Holdfast
from holdfast.client.drivers.choose import CLASSES, driver_for
from holdfast.client.drivers.sqlalchemy import Sqlalchemy
from holdfast.model.error import InvalidInput, InvalidOption
from tests.client.drivers.ways import sqlalchemy_url

DRIVERS = ["asyncpg", "django", "psycopg", "sqlalchemy"]


class OwnSession(Session):
    """As SQLModel has one."""


def test_a_session_of_the_callers_own_class_is_known() -> None:
    assert isinstance(driver_for(OwnSession()), Sqlalchemy)


@pytest.mark.parametrize("wrong", [object(), "postgresql://", None, create_engine("postgresql+psycopg://")])
def test_anything_else_is_refused_and_the_supported_ones_are_named(app: Holdfast, wrong: Any) -> None:
    @app.task()
    async def greet() -> None: ...

    with pytest.raises(InvalidOption) as refused:
        greet.using(wrong)
    assert type(wrong).__qualname__ in refused.value.message
    for name in ("asyncpg", "psycopg", "SQLAlchemy", "Django", "holdfast.enqueue"):
        assert name in (refused.value.hint or "")


def test_looking_at_a_connection_loads_no_driver() -> None:
    program = f"""
import sys
sys.path[:0] = {[one for one in sys.path if one]!r}
from holdfast.client.drivers.choose import driver_for
from holdfast.model.error import InvalidOption
try:
    driver_for(object())
except InvalidOption:
    print(*(name for name in {DRIVERS!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["asyncpg"]


def test_every_driver_in_the_table_has_its_file_and_class() -> None:
    folder = Path(driver_for.__code__.co_filename).parent
    for file, name in CLASSES.values():
        assert f"class {name}:" in (folder / f"{file}.py").read_text()


async def test_an_asynchronous_connection_needs_an_event_loop(app: Holdfast, database_url: str) -> None:
    @app.task()
    async def greet() -> None: ...

    async with await psycopg.AsyncConnection.connect(database_url) as conn:
        mine = greet.using(conn)
        with pytest.raises(InvalidInput, match="asynchronous connection"):
            mine.enqueue_sync()
        with pytest.raises(InvalidInput, match="asynchronous connection"):
            mine.enqueue_many_sync([greet.call()])
        with pytest.raises(InvalidInput, match="asynchronous connection"):
            app.enqueue_many_sync([greet.call()], conn=conn)


async def test_a_synchronous_connection_serves_asynchronous_code_too(
    app: Holdfast, database_url: str
) -> None:
    @app.task()
    async def greet(name: str) -> None: ...

    engine = create_engine(sqlalchemy_url(database_url, "psycopg"))
    with engine.begin() as conn:
        handles = [await greet.using(conn).enqueue("Ada"), greet.using(conn).enqueue_sync("Grace")]
        handles += await greet.using(conn).enqueue_many([greet.call("Alan")])
        handles += greet.using(conn).enqueue_many_sync([greet.call("Kurt")])
    assert [(await one.job()).payload["name"] for one in handles] == ["Ada", "Grace", "Alan", "Kurt"]
    engine.dispose()
