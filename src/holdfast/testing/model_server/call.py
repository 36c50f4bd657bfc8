"""One call of a model, from its body to its end in the ledger.

The ledger is closed just before the last bytes are sent: a client that has its answer finds the end there.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from starlette.requests import Request
from starlette.types import Send

from holdfast.testing.model_server.answer import Answers, CallbackRaised, ChatRequest, Refusal
from holdfast.testing.model_server.api import Api, BadRequest, Reply, compose, read_request
from holdfast.testing.model_server.clock import Clock, sleep
from holdfast.testing.model_server.ledger import CallId, Ledger, Outcome
from holdfast.testing.model_server.simulation import Admission, CallFailed, Simulation

JSON = "application/json"
DRIPS = 10
INSIDE = "The model failed while it was answering."


@dataclass(frozen=True, slots=True)
class Backend:
    """What all calls of a server have in common."""

    clock: Clock
    ledger: Ledger
    simulation: Simulation
    answers: Answers


class ModelCall:
    """`reset` breaks the client's connection, after what was sent to it."""

    def __init__(
        self, backend: Backend, api: Api, request: Request, send: Send, reset: Callable[[], None]
    ) -> None:
        self._backend = backend
        self._api = api
        self._path = request.url.path
        self._headers = dict(request.headers)
        self._send = send
        self._reset = reset
        self._start = backend.clock.now()
        self._id: CallId = backend.ledger.open(self._path, self._headers.get("idempotency-key"))
        self._status: int | None = None  # as far as one was sent
        self._outcome: Outcome | None = None

    async def run(self, body: bytes) -> None:
        try:
            await self._react(self._read(body))
        except CallFailed as failure:
            await self._fail(failure)

    def abandon(self, outcome: Outcome) -> None:
        """It will not be answered."""
        self._close(outcome, self._status)

    def _read(self, body: bytes) -> ChatRequest:
        try:
            return read_request(self._api, self._path, self._headers, body)
        except BadRequest as exc:
            raise CallFailed(Outcome.REFUSED, 400, str(exc)) from exc

    async def _react(self, request: ChatRequest) -> None:
        try:
            reaction = self._backend.answers.ask(request)
        except CallbackRaised as exc:
            raise CallFailed(Outcome.CALLBACK_RAISED, 500, str(exc)) from exc
        if isinstance(reaction, Refusal):
            raise CallFailed(Outcome.REFUSED, reaction.status, reaction.message)
        reply = compose(self._id, self._backend.clock.wall(), request, reaction)
        try:
            await self._work(reply, request.stream)
        finally:
            if self._outcome is not Outcome.ANSWERED:
                self._backend.answers.keep(request, reaction)

    async def _work(self, reply: Reply, is_stream: bool) -> None:
        ledger, simulation = self._backend.ledger, self._backend.simulation
        ledger.describe(self._id, reply.model, reply.tokens_in, reply.tokens_out)
        admission = simulation.admit(self._id, reply.tokens_in, reply.tokens_out)
        ledger.assign(self._id, admission.number)
        try:
            if admission.failing_status is not None:
                await admission.reach(1.0)
                raise CallFailed(Outcome.NOISE, admission.failing_status, INSIDE)
            await (self._stream if is_stream else self._whole)(admission, reply)
        finally:
            admission.leave()

    async def _whole(self, admission: Admission, reply: Reply) -> None:
        await admission.reach(1.0)
        if admission.is_error_inside:
            document = self._api.error(500, INSIDE)
        else:
            document = self._api.whole(reply, self._took())
        body = _encoded(document)
        if admission.is_cut:
            await self._begin(200, JSON, {"Content-Length": str(len(body))})
            await self._write(body[: len(body) // 2])
            raise CallFailed(Outcome.CUT, None, INSIDE)
        pause = self._backend.simulation.behaviour.drip.total_seconds() / DRIPS
        size = -(-len(body) // DRIPS) if pause else len(body)
        *pieces, last = [body[begin : begin + size] for begin in range(0, len(body), size)]
        for piece in [b"", *pieces] if pause else pieces:
            await self._begin(200, JSON, {"Content-Length": str(len(body))})
            await self._write(piece)
            await sleep(self._backend.clock, pause)
        await self._finish(admission, JSON, last, {"Content-Length": str(len(body))})

    async def _stream(self, admission: Admission, reply: Reply) -> None:
        kind, pieces = self._api.stream_type, self._api.pieces(reply)
        pause = self._backend.simulation.behaviour.drip.total_seconds() / max(1, len(pieces))
        is_broken = admission.is_cut or admission.is_error_inside
        sent = pieces[: len(pieces) // 2] if is_broken else pieces
        rest = 1 - admission.first_part
        for number, piece in enumerate(sent):
            await admission.reach(admission.first_part + rest * number / len(pieces))
            await self._begin(200, kind)
            await self._write(piece)
            await sleep(self._backend.clock, pause)
        await admission.reach(1.0)
        if admission.is_cut:
            await self._begin(200, kind)
            raise CallFailed(Outcome.CUT, None, INSIDE)
        if admission.is_error_inside:
            last = self._api.error_piece(INSIDE)
        else:
            last = self._api.closing(reply, self._took())
        await self._finish(admission, kind, last)

    async def _finish(
        self, admission: Admission, kind: str, last: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        self._close(Outcome.ERROR_INSIDE if admission.is_error_inside else Outcome.ANSWERED, 200)
        await self._begin(200, kind, headers)
        await self._write(last, more=False)

    async def _fail(self, failure: CallFailed) -> None:
        """With an error, or with a reset if the answer has begun already."""
        if failure.status is None or self._status is not None:
            self._close(failure.outcome, self._status)
            self._reset()
            return
        self._close(failure.outcome, failure.status)
        body = _encoded(self._api.error(failure.status, failure.message))
        await self._begin(failure.status, JSON, {"Content-Length": str(len(body)), **failure.headers})
        await self._write(body, more=False)

    async def _begin(self, status: int, kind: str, headers: Mapping[str, str] | None = None) -> None:
        """The head of the answer, once."""
        if self._status is None:
            self._status = status
            fields = {"Content-Type": kind, "Cache-Control": "no-cache", **(headers or {})}
            encoded = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
            await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def _write(self, data: bytes, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    def _close(self, outcome: Outcome, status: int | None) -> None:
        """Once: the first outcome counts."""
        if self._outcome is None:
            self._outcome = outcome
            self._backend.ledger.close(self._id, outcome, status)

    def _took(self) -> timedelta:
        return timedelta(seconds=self._backend.clock.now() - self._start)


def _encoded(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document).encode() + b"\n"
