"""The events of an attempt are created at first use, from whichever thread asks first."""

from threading import Barrier, Event, Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest

from holdfast.model.job import ClaimedJob
from holdfast.worker.attempt.handler import Handler
from holdfast.worker.attempt.running_attempt import Attempt, Stop

THREADS = 4
ROUNDS = 200


def new_attempt() -> Attempt:
    """In a thread: to be stopped, it is only told."""
    return Attempt(cast(ClaimedJob, SimpleNamespace()), cast(Handler, SimpleNamespace(is_async=False)))


def stop(attempt: Attempt) -> None:
    attempt.tell_to_stop(Stop.ASKED)


def ask_to_yield(attempt: Attempt) -> None:
    attempt.ask_to_yield()


@pytest.mark.parametrize(("name", "tell"), [("cancelled", stop), ("should_yield", ask_to_yield)])
def test_threads_that_ask_at_once_get_one_event_and_none_misses_that_it_is_set(name: str, tell: Any) -> None:
    for _ in range(ROUNDS):
        attempt, start, found = new_attempt(), Barrier(THREADS + 1), list[Event]()

        def ask(attempt: Attempt = attempt, start: Barrier = start, found: list[Event] = found) -> None:
            start.wait()
            found.append(getattr(attempt, name))

        threads = [Thread(target=ask) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        start.wait()
        tell(attempt)
        for thread in threads:
            thread.join()
        assert len(found) == THREADS
        assert set(found) == {getattr(attempt, name)}
        assert found[0].is_set()


@pytest.mark.parametrize(("name", "tell"), [("cancelled", stop), ("should_yield", ask_to_yield)])
def test_an_event_is_set_however_late_it_is_asked_for(name: str, tell: Any) -> None:
    attempt = new_attempt()
    assert (attempt.cancelled_event, attempt.yield_event) == (None, None)
    tell(attempt)
    assert getattr(attempt, name).is_set()
