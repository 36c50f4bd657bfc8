"""Django's atomic blocks and autocommit."""

from collections.abc import Iterator

import pytest
from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection, transaction

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.model.error import UniqueConflict
from tests.client.drivers.django_settings import use_database

Greet = Task[[str], int]


@pytest.fixture(autouse=True)
def default_database(database_url: str) -> Iterator[None]:
    use_database("default", database_url)
    yield
    connection.close()


def names() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("select payload ->> 'name' from holdfast.jobs order by id")
        return [row[0] for row in cursor.fetchall()]


def test_a_conflict_inside_an_inner_block_leaves_the_rest(greet: Greet) -> None:
    once = greet.options(unique_key="k")
    with transaction.atomic():
        once.using(connection).enqueue_sync("Ada")
        with pytest.raises(UniqueConflict), transaction.atomic():
            once.using(connection).enqueue_sync("Grace")
        once.using(connection).enqueue_sync("Ada")
    assert names() == ["Ada"]


def test_outside_a_block_each_enqueue_is_a_statement_of_its_own(greet: Greet) -> None:
    greet.using(connection).enqueue_sync("100 % Ada")
    connection.close()
    assert names() == ["100 % Ada"]


def test_a_task_bound_once_to_djangos_connection_follows_it_to_the_next_one(greet: Greet) -> None:
    mine = greet.using(connection)
    mine.enqueue_sync("Ada")
    connection.close()
    mine.enqueue_sync("Grace")
    assert names() == ["Ada", "Grace"]


async def test_django_itself_refuses_its_connection_on_an_event_loop(app: Holdfast, greet: Greet) -> None:
    with pytest.raises(SynchronousOnlyOperation):
        await greet.using(connection).enqueue("Ada")
