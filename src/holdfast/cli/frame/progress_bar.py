"""How far a long command is, on stderr; only on a terminal."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class ProgressBar(Progress):
    """Shown inside `with`."""

    def __init__(self, word: str, total: int) -> None:
        console = Console(stderr=True, highlight=False)
        columns = (TextColumn(word), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        super().__init__(*columns, console=console, disable=not console.is_terminal)
        self._task = self.add_task(word, total=total)

    def show(self, done: int) -> None:
        self.update(self._task, completed=done)
