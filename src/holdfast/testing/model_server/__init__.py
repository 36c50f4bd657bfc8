"""A model server to test against: slow, limited and flaky exactly as far as the test says."""

from holdfast.testing.model_server.answer import (
    Answer,
    AnswerCallback,
    ChatRequest,
    Message,
    Refusal,
    ToolCall,
    in_turn,
)
from holdfast.testing.model_server.behaviour import Behaviour, Changes, Outage, RetryAfter, Sharing
from holdfast.testing.model_server.clock import Clock, ManualClock, RealClock
from holdfast.testing.model_server.ledger import Call, Ledger, Outcome
from holdfast.testing.model_server.server import ModelServer, ThreadedModelServer, run_forever

__all__ = [
    "Answer",
    "AnswerCallback",
    "Behaviour",
    "Call",
    "Changes",
    "ChatRequest",
    "Clock",
    "Ledger",
    "ManualClock",
    "Message",
    "ModelServer",
    "Outage",
    "Outcome",
    "RealClock",
    "Refusal",
    "RetryAfter",
    "Sharing",
    "ThreadedModelServer",
    "ToolCall",
    "in_turn",
    "run_forever",
]
