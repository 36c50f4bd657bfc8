"""How far an example is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class Display:
    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._bar: Progress | None = None

    def say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def progress(self, word: str, total: int) -> Iterator["Steps"]:
        bar = Progress(
            TextColumn(word),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        with bar:
            yield Steps(self, bar, bar.add_task(word, total=total), word, total)


class Steps:
    """Of one thing that takes a while."""

    def __init__(self, display: Display, bar: Progress, task: TaskID, word: str, total: int) -> None:
        self._display, self._bar, self._task = display, bar, task
        self._word, self._total = word, total
        self._next_line = 0.0

    def show(self, done: int) -> None:
        self._bar.update(self._task, completed=done)
        if self._bar.disable and done >= min(self._next_line, self._total) > 0:
            self._display.say(f"{self._word}: {done} of {self._total}")
        if done >= self._next_line:
            self._next_line = done + self._total / 5
