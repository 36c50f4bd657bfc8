"""How far the demo is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from holdfast.cli.frame.progress_bar import ProgressBar


class Bar(ProgressBar):
    def __init__(self, total: int) -> None:
        super().__init__("demo", total)
        self._total = total
        self._next_line = 0.0

    def say(self, text: str) -> None:
        self.console.print(f"demo: {text}", markup=False, soft_wrap=True)

    def show(self, done: int) -> None:
        super().show(done)
        if self.disable and done >= min(self._next_line, self._total):
            self.say(f"{done} of {self._total} done")
            self._next_line = done + self._total / 10
