"""How far the demo is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Bar:
    def __init__(self, total: int) -> None:
        self._total = total
        self._console = Console(stderr=True, highlight=False)
        self._is_live = self._console.is_terminal
        self._progress = Progress(
            TextColumn("demo"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._is_live,
        )
        self._task = self._progress.add_task("demo", total=total)
        self._next_line = 0.0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def say(self, text: str) -> None:
        self._console.print(f"demo: {text}", markup=False, soft_wrap=True)

    def show(self, done: int) -> None:
        self._progress.update(self._task, completed=done)
        if not self._is_live and done >= min(self._next_line, self._total):
            self.say(f"{done} of {self._total} done")
            self._next_line = done + self._total / 10
