"""One child process as the worker sees it: start, messages, kill, and reaping in every case."""

import asyncio
import json
import os
import signal
import socket
import sys
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from asyncio.subprocess import DEVNULL, Process
from contextlib import suppress

from holdfast.worker.call.process.message_frame import HEAD, Message, length_of, pack, unpack
from holdfast.worker.call.process.process_death import ProcessDied, ProcessNotStarted, died_with
from holdfast.worker.own_task import OwnTask

# A clean interpreter: a fork of this one would inherit its threads' locks and its connections.
# It has the same module search path.
PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from holdfast.worker.call.process.child.child_main import main
main(int(sys.argv[2]), int(sys.argv[3]))
"""
# To reap a process that has exited, and to read its last messages.
LINGER = 1.0


async def start_child() -> "ChildProcess":
    ours, theirs = socket.socketpair()
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", PROGRAM, json.dumps(sys.path), str(theirs.fileno()), str(os.getpid())),
            pass_fds=(theirs.fileno(),),
            stdin=DEVNULL,
            start_new_session=True,
        )
    except OSError as exc:
        ours.close()
        raise ProcessNotStarted(f"No process could be started: {exc}.") from exc
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    try:
        reader, writer = await asyncio.open_unix_connection(sock=ours)
    except BaseException:
        process.kill()
        ours.close()
        await process.wait()
        raise
    return ChildProcess(process, reader, writer)


class ChildProcess:
    """The leader of a process group, so that processes that a handler forks end with it."""

    def __init__(self, process: Process, reader: StreamReader, writer: StreamWriter) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._linger: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None
        self.is_ending = False
        self.closes = False  # whether it has resources to close
        self.over = OwnTask(self._reap())

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None and not self._reader.at_eof()

    def say(self, message: Message) -> None:
        self._writer.write(pack(message))

    async def tell(self, message: Message) -> None:
        """Raises ProcessDied, as `hear` does."""
        try:
            self.say(message)
            await self._writer.drain()
        except ConnectionError:
            raise await self._death() from None

    async def hear(self) -> Message:
        """The next message; raises ProcessDied if there will be none."""
        try:
            head = await self._reader.readexactly(HEAD)
            return unpack(await self._reader.readexactly(length_of(head)))
        except (IncompleteReadError, ConnectionError):
            raise await self._death() from None
        except ValueError as exc:
            raise ProcessDied(
                f"The handler's process sent an invalid message to the worker: {exc}."
            ) from None

    def end(self) -> None:
        """Kills it; `over` is done when it has been reaped. No messages may be sent to it any more."""
        self.is_ending = True
        self._kill_group()
        self.keep()
        if self._linger is not None:
            self._linger.cancel()
        self._writer.transport.abort()

    def leave(self, within: float) -> None:
        """It has no work: it closes its resources, and is killed if that takes longer."""
        if not self.closes or self._writer.transport.is_closing():
            self.end()
            return
        self.is_ending = True
        self.keep()
        self.say({"close": True})
        self._idle = asyncio.get_running_loop().call_later(within, self.end)

    def leave_after(self, seconds: float, within: float) -> None:
        self._idle = asyncio.get_running_loop().call_later(seconds, self.leave, within)

    def keep(self) -> None:
        """It has work again."""
        if self._idle is not None:
            self._idle.cancel()

    async def _reap(self) -> None:
        await self._process.wait()
        self.keep()  # or a timer would kill a group whose number may have been reused
        self._kill_group()  # processes that it left behind
        if self.is_ending:
            self._writer.transport.abort()  # it has sent all its messages
        elif not self._writer.transport.is_closing():
            # A process outside the group may still hold the other end: the stream would never end.
            self._linger = asyncio.get_running_loop().call_later(LINGER, self._writer.transport.abort)

    def _kill_group(self) -> None:
        # A group's number is not reused while any member lives; if none does, the signal hits no process.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _death(self) -> ProcessDied:
        try:
            async with asyncio.timeout(LINGER):
                return died_with(await self._process.wait())
        except TimeoutError:
            return ProcessDied("The handler's process closed its connection to the worker, and was killed.")
