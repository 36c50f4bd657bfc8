"""The event loop of a process that runs for long: a worker, or the API."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from holdfast.worker.main_loop import run_main

T = TypeVar("T")


def run_on_fast_loop(work: Coroutine[Any, Any, T]) -> T:
    """On uvloop where it is installed: it gets more done."""
    # Not inside the except block: every exception of a handler would name this one as its context.
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    with suppress(ImportError):
        import uvloop

        new_loop = uvloop.new_event_loop
    return run_main(work, new_loop)
