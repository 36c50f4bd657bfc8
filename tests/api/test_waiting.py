"""Places for requests that wait: per access key, in all, and free again afterwards."""

from contextlib import ExitStack
from uuid import uuid4

import pytest

from holdfast.api.limits.waiting import Waiting
from holdfast.api.request.problem import RequestRefused

ONE, OTHER, THIRD = uuid4(), uuid4(), uuid4()


def test_a_key_has_its_places_and_all_keys_share_those_of_the_server() -> None:
    waiting = Waiting(per_key=2, in_all=3)
    with ExitStack() as held:
        for key in (ONE, ONE, OTHER):
            held.enter_context(waiting.place(key))
        for key, status in ((ONE, 429), (OTHER, 503), (THIRD, 503)):
            with pytest.raises(RequestRefused) as caught, waiting.place(key):
                pass
            assert (caught.value.status, caught.value.code) == (status, "too_many_waiting")
    with ExitStack() as held:
        for key in (OTHER, OTHER, THIRD):
            held.enter_context(waiting.place(key))


def test_a_request_that_fails_gives_its_place_back() -> None:
    waiting = Waiting(per_key=1, in_all=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), waiting.place(ONE):
            raise ZeroDivisionError
