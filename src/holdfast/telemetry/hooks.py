"""The callbacks of `app.on_event`. They run in one thread per process, so that a slow one delays no job."""

import inspect
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeAlias, TypeVar, overload

from holdfast.model.error import BadHandler, InvalidOption
from holdfast.model.printable import text_of
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.hook_event import LogEvent

Callback: TypeAlias = Callable[[LogEvent], object]
C = TypeVar("C", bound=Callback)

# Events that wait for the thread. Beyond that they are dropped: memory stays bounded, and workers never wait.
MOST_WAITING = 1000
_NAMES = frozenset(event.value for event in Event)
# For the callbacks of the last events of a worker.
FLUSH = timedelta(seconds=2)


class EventHooks:
    """The hooks of one app. They hear the events of this process while a worker of the app runs."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callback]] = {}
        self.dropped = 0

    @overload
    def on_event(self, name: str, callback: C) -> C: ...

    @overload
    def on_event(self, name: str) -> Callable[[C], C]: ...

    def on_event(self, name: str, callback: C | None = None) -> C | Callable[[C], C]:
        """Calls the function with each such event, as a LogEvent; also a decorator: `@app.on_event(name)`.

        All hooks of a process run in one thread, one after the other. 1,000 events can wait for it; the
        worker drops and counts those beyond that.
        """
        if name not in _NAMES:
            raise InvalidOption(f"Holdfast has no event {name!r}.", "docs/events.md lists all events")
        if callback is None:
            return lambda function: self.on_event(name, function)
        if inspect.iscoroutinefunction(callback):
            raise BadHandler(
                f"The hook of {name} must be a plain function with one parameter (got {callback!r}).",
                "write it as def hook(event)",
            )
        self.callbacks.setdefault(name, []).append(callback)
        return callback

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Nested for several workers of one app."""
        _here.listening = (*_here.listening, self)
        try:
            yield
        finally:
            rest = list(_here.listening)
            rest.remove(self)
            _here.listening = tuple(rest)

    def flush(self, within: timedelta = FLUSH) -> None:
        """Waits for the callbacks of all events so far; drops and counts what is left after that time."""
        self.dropped += _here.flush(self, within.total_seconds())


def hear(event: Event) -> bool:
    """Whether there is a hook for it."""
    return any(event in hooks.callbacks for hooks in _here.listening)


def offer(event: LogEvent) -> None:
    """To each app once. What a hook itself logs goes to no hook: it would never end."""
    if threading.current_thread() is _here.thread:
        return
    for hooks in dict.fromkeys(_here.listening):
        callbacks = hooks.callbacks.get(event.name)
        if callbacks and not _here.take(hooks, tuple(callbacks), event):
            hooks.dropped += 1


class _HookThread:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.listening: tuple[EventHooks, ...] = ()
        self.thread: threading.Thread | None = None
        self._waiting: deque[tuple[EventHooks, tuple[Callback, ...], LogEvent]] = deque()
        self._changed = threading.Condition()
        self._is_busy = False

    def take(self, hooks: EventHooks, callbacks: tuple[Callback, ...], event: LogEvent) -> bool:
        """False if the queue is full."""
        with self._changed:
            if len(self._waiting) >= MOST_WAITING:
                return False
            self._waiting.append((hooks, callbacks, event))
            if self.thread is None:
                # A daemon: a callback that never returns must not keep the process alive.
                self.thread = threading.Thread(target=self._run, name="holdfast-hooks", daemon=True)
                self.thread.start()
            self._changed.notify_all()
        return True

    def flush(self, hooks: EventHooks, seconds: float) -> int:
        """How many events of these hooks were left, and are now dropped."""
        with self._changed:
            if self._changed.wait_for(lambda: not self._waiting and not self._is_busy, seconds):
                return 0
            before = len(self._waiting)
            self._waiting = deque(one for one in self._waiting if one[0] is not hooks)
            return before - len(self._waiting)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting)
                _, callbacks, event = self._waiting.popleft()
                self._is_busy = True
            for callback in callbacks:
                _call(callback, event)
            del callbacks, event  # the exception holds the frames of the handler


def _call(callback: Callback, event: LogEvent) -> None:
    """A hook may not harm the worker, whatever it raises. The text of the handler's own exception, which a
    hook may raise again, is left out: it may hold secrets.
    """
    from holdfast.telemetry.emit import emit  # which offers events to hooks

    try:
        callback(event)
    except BaseException as exc:
        name = getattr(callback, "__qualname__", type(callback).__qualname__)
        said = [type(exc).__name__, *([] if exc is event.exception else [text_of(exc)])]
        emit(Event.HOOK_FAILED, heard=event.name, hook=name, because=": ".join(said))


_here = _HookThread()
# A forked copy has no such thread, and the lock may be held there.
os.register_at_fork(after_in_child=_here.reset)
