"""Every name in a trace: of spans, attributes and links.

`messaging.*`, `gen_ai.*`, `error.*` and `server.*` are OpenTelemetry's semantic conventions; what they do not
name is `holdfast.*`.
"""

SCOPE = "holdfast"  # of the tracer
SYSTEM = "holdfast"  # the value of messaging.system

MESSAGING_SYSTEM = "messaging.system"
MESSAGING_OPERATION_NAME = "messaging.operation.name"
MESSAGING_OPERATION_TYPE = "messaging.operation.type"
MESSAGING_DESTINATION = "messaging.destination.name"
MESSAGING_MESSAGE_ID = "messaging.message.id"
MESSAGING_BATCH = "messaging.batch.message_count"
MESSAGING_CLIENT_ID = "messaging.client.id"

GEN_AI_OPERATION = "gen_ai.operation.name"
GEN_AI_PROVIDER = "gen_ai.provider.name"
GEN_AI_MODEL = "gen_ai.request.model"
GEN_AI_FINISH_REASONS = "gen_ai.response.finish_reasons"
GEN_AI_INPUT_TOKENS = "gen_ai.usage.input_tokens"
GEN_AI_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
GEN_AI_TOOL_NAME = "gen_ai.tool.name"
GEN_AI_TOOL_CALL_ID = "gen_ai.tool.call.id"
GEN_AI_TOOL_TYPE = "gen_ai.tool.type"

SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"
ERROR_TYPE = "error.type"

TASK = "holdfast.task"
RUN = "holdfast.run"
STAGE = "holdfast.stage"
VISIT = "holdfast.visit"
STEP = "holdfast.step"
ATTEMPT = "holdfast.attempt"
GENERATION = "holdfast.generation"
ENDPOINT = "holdfast.endpoint"
WAIT_SECONDS = "holdfast.wait_seconds"
END = "holdfast.end"
ERROR_CLASS = "holdfast.error.class"
UNITS = "holdfast.units"
CREATED = "holdfast.created"
LINKED_TO = "holdfast.linked_to"

# Values.
ENQUEUE, SEND, PROCESS = "enqueue", "send", "process"
CHAT, EXECUTE_TOOL, FUNCTION = "chat", "execute_tool", "function"
ATTEMPT_BEFORE = "attempt before"


def enqueue_span(queue: str) -> str:
    return f"{ENQUEUE} {queue}"


def attempt_span(queue: str) -> str:
    return f"{PROCESS} {queue}"


def stage_span(stage: str) -> str:
    return f"stage {stage}"


def step_span(step: str) -> str:
    return f"step {step}"


def model_span(model: str) -> str:
    return f"{CHAT} {model}"


def tool_span(tool: str) -> str:
    return f"{EXECUTE_TOOL} {tool}"
