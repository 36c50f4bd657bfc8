"""One process of `holdfast up`: started, read line by line, asked to stop."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from holdfast.cli.frame.parent_link import CHILD, STOP

CHUNK = 64 * 1024
LONGEST_LINE = 1024 * 1024  # bytes; a longer one is passed on in parts


class ChildProcess:
    """In a session of its own: Ctrl-C in a terminal reaches only the parent, which passes it on.

    The pipes are plain descriptors. asyncio would wait for their end too, and a program that a handler left
    behind can keep them open.
    """

    def __init__(self, process: asyncio.subprocess.Process, stop: int, output: int) -> None:
        self._process, self._stop, self._output = process, stop, output

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], line: Callable[[str], None]
    ) -> "ChildProcess":
        """`line` gets each line that it writes, to stdout or stderr."""
        stdin, stop = os.pipe()
        output, stdout = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=stdin,
                stdout=stdout,
                stderr=stdout,
                env={**os.environ, **environment, CHILD: "1", "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        except BaseException:
            os.close(stop)
            os.close(output)
            raise
        finally:
            os.close(stdin)
            os.close(stdout)
        child = cls(process, stop, output)
        child._read_by(line)
        return child

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask_to_stop(self) -> None:
        """The second time, it ends its grace."""
        with suppress(BrokenPipeError):  # it has exited
            os.write(self._stop, STOP)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def exit_code(self) -> int:
        """When it has exited, and all that it wrote is passed on."""
        try:
            return await self._process.wait()
        finally:
            self._read()
            asyncio.get_running_loop().remove_reader(self._output)
            os.close(self._output)
            os.close(self._stop)

    def _read_by(self, line: Callable[[str], None]) -> None:
        os.set_blocking(self._output, False)
        self._lines = _Lines(line)
        asyncio.get_running_loop().add_reader(self._output, self._read)

    def _read(self) -> None:
        """All that is there now."""
        with suppress(BlockingIOError):
            while chunk := os.read(self._output, CHUNK):
                self._lines.feed(chunk)
            self._lines.end()
            asyncio.get_running_loop().remove_reader(self._output)


class _Lines:
    def __init__(self, line: Callable[[str], None]) -> None:
        self._line, self._rest = line, b""

    def feed(self, chunk: bytes) -> None:
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        for one in whole:
            self._line(one.decode("utf-8", "replace"))
        if len(self._rest) > LONGEST_LINE:
            self.end()

    def end(self) -> None:
        if self._rest:
            self._line(self._rest.decode("utf-8", "replace"))
            self._rest = b""
