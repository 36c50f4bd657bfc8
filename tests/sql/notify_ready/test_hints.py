"""Idle workers are told which queues have jobs."""

from tests.sql.notify_ready.hints import hints_of


async def test_each_queue_is_named_once_however_often_it_is_given(database_url: str) -> None:
    call = "select holdfast.notify_ready(array['a', 'b', 'a'])"
    assert await hints_of(database_url, call, call) == ["a", "b"]


async def test_nothing_is_said_for_no_queues(database_url: str) -> None:
    calls = ["select holdfast.notify_ready('{}')", "select holdfast.notify_ready(null)"]
    assert await hints_of(database_url, *calls) == []


async def test_a_name_longer_than_a_message_may_be_is_cut(database_url: str) -> None:
    call = "select holdfast.notify_ready(array[repeat('x', 9000)])"
    assert await hints_of(database_url, call) == ["x" * 200]
