"""One call of a model, from its body to its end in the ledger.

The ledger is closed just before the last bytes are written: whoever has the answer finds its end there.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, assert_never

from holdfast.testing.model_server.answer import ChatRequest, Message, Refusal
from holdfast.testing.model_server.callback import Callback, CallbackRaised
from holdfast.testing.model_server.clock import Clock, sleep
from holdfast.testing.model_server.dialect import Dialect, text_of
from holdfast.testing.model_server.fate import Fate, Interrupted
from holdfast.testing.model_server.http_error import HttpError
from holdfast.testing.model_server.http_write import JSON, Wire
from holdfast.testing.model_server.ledger import CallId, Ledger
from holdfast.testing.model_server.reply import Reply, compose
from holdfast.testing.model_server.simulation import Simulation
from holdfast.testing.model_server.verdict import Admitted, Broken, Hangs, Refused, Verdict

DRIPS = 10
INSIDE = "The model failed while it was answering."


@dataclass(frozen=True, slots=True)
class House:
    """What all calls of a server have in common."""

    clock: Clock
    ledger: Ledger
    simulation: Simulation
    callback: Callback


class Exchange:
    def __init__(
        self, house: House, dialect: Dialect, wire: Wire, path: str, headers: Mapping[str, str]
    ) -> None:
        self._house = house
        self._dialect = dialect
        self._wire = wire
        self._path = path
        self._headers = headers
        self._start = house.clock.now()
        self._id: CallId = house.ledger.open(path, headers.get("idempotency-key"))
        self._fate: Fate | None = None

    async def run(self, body: bytes) -> None:
        try:
            await self._react(self._read(body))
        except HttpError as exc:
            await self._fail(Fate.REFUSED, exc.status, exc.message)
        except CallbackRaised as exc:
            await self._fail(Fate.CALLBACK_RAISED, 500, str(exc))

    def abandon(self, fate: Fate) -> None:
        """Whatever ended it, the call has ended."""
        if self._fate is None:
            self._close(fate, self._wire.status)

    async def _react(self, request: ChatRequest) -> None:
        reaction = self._house.callback.ask(request)
        if isinstance(reaction, Refusal):
            await self._fail(Fate.REFUSED, reaction.status, reaction.message)
            return
        reply = compose(self._id, self._house.clock.wall(), request, reaction)
        verdict = self._house.simulation.admit(self._id, reply.tokens_in, reply.tokens_out)
        self._describe(reply, verdict)
        try:
            await self._play(verdict, reply, request.stream)
        finally:
            if self._fate is not Fate.ANSWERED:
                self._house.callback.keep(request, reaction)

    async def _play(self, verdict: Verdict, reply: Reply, is_stream: bool) -> None:
        match verdict:
            case Refused():
                await self._fail(verdict.fate, verdict.status, verdict.message, verdict.headers)
            case Broken():
                self._break(verdict.fate)
            case Hangs():
                await self._hang(verdict)
            case Admitted():
                await self._work(verdict, reply, is_stream)
            case _ as never:
                assert_never(never)

    async def _hang(self, verdict: Hangs) -> None:
        """Ends when the client leaves, or with its replica."""
        if verdict.place is None:
            await asyncio.get_running_loop().create_future()
            return
        try:
            await verdict.place.reach(1.0)
        except Interrupted as why:
            await self._interrupt(why)
        finally:
            verdict.place.leave()

    async def _work(self, verdict: Admitted, reply: Reply, is_stream: bool) -> None:
        try:
            if verdict.failing_status is not None:
                await verdict.place.reach(1.0)
                await self._fail(Fate.NOISE, verdict.failing_status, INSIDE)
            elif is_stream:
                await self._stream(verdict, reply)
            else:
                await verdict.place.reach(1.0)
                await self._whole(verdict, reply)
        except Interrupted as why:
            await self._interrupt(why)
        finally:
            verdict.place.leave()

    async def _whole(self, verdict: Admitted, reply: Reply) -> None:
        if verdict.is_error_inside:
            document = self._dialect.error(500, INSIDE)
        else:
            document = self._dialect.whole(reply, self._took())
        body = json.dumps(document).encode() + b"\n"
        head = self._wire.head(200, JSON, len(body), {})
        if verdict.is_cut:
            await self._wire.write(head + body[: len(body) // 2])
            self._break(Fate.CUT)
            return
        await self._finish(verdict, await self._drip(head, body))

    async def _drip(self, head: bytes, body: bytes) -> bytes:
        """All but the last piece, which is returned."""
        pause = self._house.simulation.behaviour.drip.total_seconds() / DRIPS
        if pause == 0:
            return head + body
        size = -(-len(body) // DRIPS)
        pieces = [body[begin : begin + size] for begin in range(0, len(body), size)]
        for piece in [head, *pieces[:-1]]:
            await self._wire.write(piece)
            await sleep(self._house.clock, pause)
        return pieces[-1]

    async def _stream(self, verdict: Admitted, reply: Reply) -> None:
        pieces = self._dialect.pieces(reply)
        pause = self._house.simulation.behaviour.drip.total_seconds() / max(1, len(pieces))
        told = pieces[: len(pieces) // 2] if verdict.is_cut or verdict.is_error_inside else pieces
        rest = 1 - verdict.first_part
        for number, piece in enumerate(told):
            await verdict.place.reach(verdict.first_part + rest * number / len(pieces))
            await self._wire.write(self._stream_head() + self._wire.piece(piece))
            await sleep(self._house.clock, pause)
        await verdict.place.reach(1.0)
        head = self._stream_head()
        if verdict.is_cut:
            await self._wire.write(head)
            self._break(Fate.CUT)
            return
        inside = verdict.is_error_inside
        last = self._dialect.error_piece(INSIDE) if inside else self._dialect.closing(reply, self._took())
        await self._finish(verdict, head + self._wire.piece(last) + self._wire.stream_end())

    def _stream_head(self) -> bytes:
        """Once, before the first piece."""
        return self._wire.stream_head(self._dialect.stream_type) if self._wire.status is None else b""

    async def _finish(self, verdict: Admitted, last: bytes) -> None:
        self._close(Fate.ERROR_INSIDE if verdict.is_error_inside else Fate.ANSWERED, 200)
        await self._wire.write(last)

    async def _interrupt(self, why: Interrupted) -> None:
        if why.status is None or self._wire.status is not None:
            self._break(why.fate)
        else:
            await self._fail(why.fate, why.status, why.message)

    async def _fail(
        self, fate: Fate, status: int, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self._close(fate, status)
        await self._wire.send_json(status, self._dialect.error(status, message), headers or {})

    def _break(self, fate: Fate) -> None:
        self._close(fate, self._wire.status)
        self._wire.reset()

    def _close(self, fate: Fate, status: int | None) -> None:
        self._fate = fate
        self._house.ledger.close(self._id, fate, status)

    def _describe(self, reply: Reply, verdict: Verdict) -> None:
        place = verdict.place if isinstance(verdict, Admitted | Hangs) else None
        index = None if place is None else place.index
        self._house.ledger.describe(self._id, reply.model, reply.tokens_in, reply.tokens_out, index)

    def _took(self) -> timedelta:
        return timedelta(seconds=self._house.clock.now() - self._start)

    def _read(self, body: bytes) -> ChatRequest:
        document = read_object(body)
        asked = self._dialect.read(document)
        return ChatRequest(
            path=self._path,
            model=asked.model,
            messages=tuple(Message(one["role"], text_of(one.get("content")), one) for one in asked.messages),
            stream=asked.stream,
            max_tokens=asked.max_tokens,
            tools=asked.tools,
            key=self._headers.get("idempotency-key"),
            headers=self._headers,
            document=document,
        )


def read_object(body: bytes) -> dict[str, Any]:
    """RecursionError: a few kilobytes of brackets are deeper than Python's stack."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise HttpError(400, "The body is not JSON.") from None
    if not isinstance(document, dict):
        raise HttpError(400, "The body is not a JSON object.")
    return document
