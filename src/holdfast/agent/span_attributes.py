"""What the spans of an agent's calls say; never what was asked or answered."""

from holdfast.agent.chat_messages import ModelAnswer, ToolRequest
from holdfast.agent.model import Model
from holdfast.telemetry import trace_names as names
from holdfast.telemetry.tracer import Attributes


def about_model(model: Model) -> Attributes:
    host, port = model.place
    return {
        names.GEN_AI_OPERATION: names.CHAT,
        names.GEN_AI_PROVIDER: model.provider,
        names.GEN_AI_MODEL: model.name,
        names.SERVER_ADDRESS: host,
        names.SERVER_PORT: port,
    }


def about_answer(answer: ModelAnswer) -> Attributes:
    return {
        names.GEN_AI_FINISH_REASONS: (answer.finish_reason,),
        names.GEN_AI_INPUT_TOKENS: answer.usage.input_tokens,
        names.GEN_AI_OUTPUT_TOKENS: answer.usage.output_tokens,
    }


def about_tool(request: ToolRequest) -> Attributes:
    return {
        names.GEN_AI_OPERATION: names.EXECUTE_TOOL,
        names.GEN_AI_TOOL_NAME: request.name,
        names.GEN_AI_TOOL_CALL_ID: request.id,
        names.GEN_AI_TOOL_TYPE: names.FUNCTION,
    }
